// Det: determinants of square matrices.
#include "compiler/kernels/matmul_calls.hpp"
#include "compiler/ops/elementwise/elementwise.hpp"

namespace onnxc::ops::det {
namespace {

void infer(Infer& n) {
  n.output(0, n.elem(0), std::nullopt);
  if (!n.has_rank(0)) return;
  const Shape& x = n.shape(0);
  n.require(x.size() >= 2, "input 0 \"X\"", "has no matrices");
  const Dim &rows = x[x.size() - 2], &cols = x.back();
  n.require(rows == cols || !rows.is_const() || !cols.is_const(), "input 0 \"X\"",
            "{} by {} is not square", rows.to_string(), cols.to_string());
  n.same(rows, cols, "input 0 \"X\"");
  n.output(0, n.elem(0), Shape(x.begin(), x.end() - 2));
}

void lower(Lower& n) {
  const Shape& x = n.shape(0);
  const Dim& size = x.back();
  const ElemType work = n.elem(0) == ElemType::float64 ? ElemType::float64 : ElemType::float32;
  Call call = n.call("det", SquareMatricesShape<Dim>{product(x, 0, x.size() - 2), size});
  call.in(0).out(0).write(n.scratch(work, size * size, "work"));
}

// The indices of all rows but one, for each of them: [size, size - 1].
Term others(const Gradient& n, Term size) {
  NodeBuilder& b = n.builder();
  const auto number = [&](std::int64_t v) { return b.term(b.constant(Tensor::scalar(v))); };
  const Term one = number(1);
  const Term all = n.emit("Range", {number(0), size, one});
  const Term few = n.emit("Range", {number(0), size - one, one});
  const Term row = n.emit("Unsqueeze", {all, n.list({1})});
  return few + convert(few >= row, ElemType::int64);
}

// +1 and -1 in turns: [size, size].
Term signs(const Gradient& n, Term size) {
  NodeBuilder& b = n.builder();
  const auto number = [&](std::int64_t v) { return b.term(b.constant(Tensor::scalar(v))); };
  const Term all = n.emit("Range", {number(0), size, number(1)});
  const Term sum = all + n.emit("Unsqueeze", {all, n.list({1})});
  const Term odd = n.emit("Mod", {sum, number(2)});
  return 1.0 - 2.0 * convert(odd, n.dy().type().elem);
}

// dY times the cofactors, the determinants of the minors. Exact for singular matrices, too.
void gradient(Gradient& n) {
  const auto rank = static_cast<std::int64_t>(n.shape(0).size());
  const Term shape = n.emit("Shape", {n.x()}, {{"start", std::int64_t{-1}}});
  const Term size = n.emit("Squeeze", {shape});
  const Term index = others(n, size);
  const Term rows = n.emit("Gather", {n.x(), index}, {{"axis", rank - 2}});
  const Term both = n.emit("Gather", {rows, index}, {{"axis", rank}});
  std::vector<std::int64_t> perm;
  for (std::int64_t i = 0; i < rank - 2; ++i) perm.push_back(i);
  for (std::int64_t i : {0, 2, 1, 3}) perm.push_back(rank - 2 + i);
  const Term cofactors = apply("Det", permute(both, perm)) * signs(n, size);
  n.dx(0, n.emit("Unsqueeze", {n.dy(), n.list({-1, -2})}) * cofactors);
}

constexpr Op rows[] = {{
    .name = "Det",
    .versions = "11 22",
    .inputs = "X:T",
    .outputs = "Y:T",
    .types = "T: floats",
    .infer = infer,
    .lower = lower,
    .gradient = gradient,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::det

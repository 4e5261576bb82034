// Det: determinants of square matrices.
#include "compiler/ops/elementwise/elementwise.hpp"
#include "templates/matmul/matmul_calls.hpp"

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

constexpr Op rows[] = {{
    .name = "Det",
    .versions = "11 22",
    .inputs = "X:T",
    .outputs = "Y:T",
    .types = "T: floats",
    .infer = infer,
    .lower = lower,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::det

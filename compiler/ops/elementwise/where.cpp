// Where: the second operand where the first is true, else the third.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/where.hpp"

namespace onnxc::ops::where {
namespace {

void choose_extents(Infer& n) {
  const auto x = n.extents(1), y = n.extents(2);
  std::optional<std::vector<Dim>> condition = n.input_value(0).extent;
  if (const Tensor* t = n.constant(0)) {
    const auto bools = t->to_int64s();
    condition = std::vector<Dim>(bools.begin(), bools.end());
  }
  if (!x || !y || !condition) return;
  const std::size_t size = std::max({x->size(), y->size(), condition->size()});
  const auto at = [](const std::vector<Dim>& v, std::size_t i) { return v[v.size() == 1 ? 0 : i]; };
  for (std::size_t own : {x->size(), y->size(), condition->size()})
    if (own != size && own != 1) return;
  std::vector<Dim> out;
  for (std::size_t i = 0; i < size; ++i) {
    const Dim c = at(*condition, i);
    if (!c.is_const()) return;
    out.push_back(at(c.is(0) ? *y : *x, i));
  }
  n.output_extents(0, std::move(out));
}

void infer(Infer& n) {
  std::optional<Shape> shape;
  if (n.has_rank(0) && n.has_rank(1) && n.has_rank(2))
    shape = broadcast(n, broadcast(n, n.shape(0), n.shape(1)), n.shape(2));
  n.output(0, n.elem(1), shape);
  if (shape && shape->size() <= 1) choose_extents(n);
}

void fold(Fold& n) {
  with_type(n.in(1).elem(), join(kNumeric, kBool), [&](auto tag) {
    using T = decltype(tag);
    fold_mixed<T, bool, T, T>(n, [](bool c, auto x, auto y) { return fn::where(c, x, y); });
  });
}

void gradient(Gradient& n) {
  if (n.wants(1)) n.dx_summed(1, choose(n.x(0), n.dy(), 0.0));
  if (n.wants(2)) n.dx_summed(2, choose(n.x(0), 0.0, n.dy()));
}

constexpr Op rows[] = {elementwise({.name = "Where",
                                    .versions = "9 16",
                                    .inputs = "condition:B X:T Y:T",
                                    .outputs = "output:T",
                                    .types = "B: bool; T: numeric complex bool string",
                                    .infer = infer,
                                    .fold = fold,
                                    .scalar = scalar_fn<"where", false>,
                                    .gradient = gradient})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::where

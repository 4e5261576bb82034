// onnxc::WherePositive: the second operand where the first is above 0, else the third. Derivatives
// of rectifiers need it, and vectors compute it, unlike a Where with a mask of bool.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/where_positive.hpp"

namespace onnxc::ops::where_positive {
namespace {

void gradient(Gradient& n) {
  const Term x = n.x(0), dy = n.dy(), zero = n.scalar(0);
  if (n.wants(0)) n.zero(0);
  if (n.wants(1)) n.dx_summed(1, choose_positive(x, dy, zero));
  if (n.wants(2)) n.dx_summed(2, choose_positive(x, zero, dy));
}

constexpr Op rows[] = {elementwise(with_function<3, "where_positive">(
    kFloats,
    {.name = "WherePositive",
     .domain = "onnxc",
     .versions = "1",
     .inputs = "X:T A:T B:T",
     .outputs = "Y:T",
     .infer = infer_broadcast,
     .gradient = gradient},
    [](auto x, auto a, auto b) { return fn::where_positive(x, a, b); }))};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::where_positive

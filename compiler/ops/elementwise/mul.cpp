// Mul: a * b; integers wrap.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/mul.hpp"

namespace onnxc::ops::mul {
namespace {

void gradient(Gradient& n) {
  if (n.wants(0)) n.dx_summed(0, n.dy() * n.x(1));
  if (n.wants(1)) n.dx_summed(1, n.dy() * n.x(0));
}

}  // namespace

constexpr Op rows[] = {
    binary<"mul">(kNumeric,
                  {.name = "Mul",
                   .versions = "1 6 7 13 14",
                   .attributes = "axis:int@1-6 broadcast:int=0@1-6 consumed_inputs:ints@1-5",
                   .infer = infer_arithmetic<std::multiplies<>{}>,
                   .gradient = gradient},
                  [](auto a, auto b) { return fn::mul(a, b); })};
extern const Family family{rows};
}  // namespace onnxc::ops::mul

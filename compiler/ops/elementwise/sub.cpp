// Sub: a - b; integers wrap.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/sub.hpp"

namespace onnxc::ops::sub {
namespace {

void gradient(Gradient& n) {
  n.dx_summed(0, n.dy());
  if (n.wants(1)) n.dx_summed(1, -n.dy());
}

}  // namespace

constexpr Op rows[] = {
    binary<"sub">(kNumeric,
                  {.name = "Sub",
                   .versions = "1 6 7 13 14",
                   .attributes = "axis:int@1-6 broadcast:int=0@1-6 consumed_inputs:ints@1-5",
                   .infer = infer_arithmetic<std::minus<>{}>,
                   .gradient = gradient},
                  [](auto a, auto b) { return fn::sub(a, b); })};
extern const Family family{rows};
}  // namespace onnxc::ops::sub

// Shrink: x - bias above lambd, x + bias below -lambd, else 0.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/shrink.hpp"

namespace onnxc::ops::shrink {
namespace {

void gradient(Gradient& n) {
  n.dx(0, choose(apply("Abs", n.x()) > n.attr_float("lambd"), n.dy(), 0.0));
}

}  // namespace

constexpr Op rows[] = {unary<"shrink", "lambd", "bias">(
    kNumeric,
    {.name = "Shrink",
     .versions = "9",
     .inputs = "input:T",
     .outputs = "output:T",
     .attributes = "bias:float=0 lambd:float=0.5",
     .gradient = gradient},
    [](auto x, float lambd, float bias) { return fn::shrink(x, lambd, bias); })};
extern const Family family{rows};
}  // namespace onnxc::ops::shrink

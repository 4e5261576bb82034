// Relu: max(x, 0).
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/relu.hpp"

namespace onnxc::ops::relu {
constexpr Op rows[] = {
    unary<"relu">(kFloatsAndSigned,
                  {.name = "Relu",
                   .versions = "1 6 13 14",
                   .attributes = "consumed_inputs:ints@1-5",
                   .gradient = [](Gradient& n) { n.dx(0, choose_positive(n.y(), n.dy(), 0.0)); }},
                  [](auto x) { return fn::relu(x); })};
extern const Family family{rows};
}  // namespace onnxc::ops::relu

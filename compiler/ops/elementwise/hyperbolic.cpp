// Sinh, Cosh, Tanh, Asinh, Acosh and Atanh.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/hyperbolic.hpp"

namespace onnxc::ops::hyperbolic {
constexpr Op rows[] = {
    unary<"sinh">(kFloats,
                  {.name = "Sinh",
                   .versions = "9 22",
                   .gradient = [](Gradient& n) { n.dx(0, n.dy() * apply("Cosh", n.x())); }},
                  [](auto x) { return fn::sinh(x); }),
    unary<"cosh">(kFloats,
                  {.name = "Cosh",
                   .versions = "9 22",
                   .gradient = [](Gradient& n) { n.dx(0, n.dy() * apply("Sinh", n.x())); }},
                  [](auto x) { return fn::cosh(x); }),
    unary<"tanh">(kFloats,
                  {.name = "Tanh",
                   .versions = "1 6 13",
                   .inputs = "input:T",
                   .outputs = "output:T",
                   .attributes = "consumed_inputs:ints@1-5",
                   .gradient = [](Gradient& n) { n.dx(0, n.dy() * (1.0 - n.y() * n.y())); }},
                  [](auto x) { return fn::tanh(x); }),
    unary<"asinh">(
        kFloats,
        {.name = "Asinh",
         .versions = "9 22",
         .gradient = [](Gradient& n) { n.dx(0, n.dy() / apply("Sqrt", n.x() * n.x() + 1.0)); }},
        [](auto x) { return fn::asinh(x); }),
    unary<"acosh">(
        kFloats,
        {.name = "Acosh",
         .versions = "9 22",
         .gradient =
             [](Gradient& n) { n.dx(0, n.dy() / apply("Sqrt", (n.x() - 1.0) * (n.x() + 1.0))); }},
        [](auto x) { return fn::acosh(x); }),
    unary<"atanh">(
        kFloats,
        {.name = "Atanh",
         .versions = "9 22",
         .gradient = [](Gradient& n) { n.dx(0, n.dy() / ((1.0 - n.x()) * (1.0 + n.x()))); }},
        [](auto x) { return fn::atanh(x); })};
extern const Family family{rows};
}  // namespace onnxc::ops::hyperbolic

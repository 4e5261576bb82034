// Neg: -x.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/neg.hpp"

namespace onnxc::ops::neg {
namespace {

void infer(Infer& n) {
  infer_unary(n);
  auto contents = n.extents(0);
  if (!contents) return;
  for (Dim& d : *contents) d = Dim(0) - d;
  n.output_extents(0, std::move(*contents));
}

constexpr Op rows[] = {unary<"neg">(kFloatsAndSigned,
                                    {.name = "Neg",
                                     .versions = "1 6 13",
                                     .attributes = "consumed_inputs:ints@1-5",
                                     .infer = infer,
                                     .gradient = [](Gradient& n) { n.dx(0, -n.dy()); }},
                                    [](auto x) { return fn::neg(x); })};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::neg

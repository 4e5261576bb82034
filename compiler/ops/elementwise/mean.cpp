// Mean: the mean of any number of operands.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/mean.hpp"

namespace onnxc::ops::mean {
namespace {

void fold(Fold& n) {
  if (n.input_count() == 1) fold_elements<1>(n, kFloats, [](auto x) { return fn::mean(x); });
  if (n.input_count() == 2)
    fold_elements<2>(n, kFloats, [](auto a, auto b) { return fn::mean(a, b); });
}

constexpr Op rows[] = {variadic({.name = "Mean",
                                 .versions = "1 6 8 13",
                                 .outputs = "mean:T",
                                 .types = "T: floats",
                                 .attributes = "consumed_inputs:ints@1-5",
                                 .fold = fold,
                                 .scalar = scalar_fn<"mean">})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::mean

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

void gradient(Gradient& n) {
  const Term share = n.dy() / static_cast<double>(n.input_count());
  for (std::size_t i = 0; i < n.input_count(); ++i) n.dx_summed(i, share);
}

constexpr Op rows[] = {variadic({.name = "Mean",
                                 .versions = "1 6 8 13",
                                 .outputs = "mean:T",
                                 .types = "T: floats",
                                 .attributes = "consumed_inputs:ints@1-5",
                                 .fold = fold,
                                 .scalar = scalar_fn<"mean">,
                                 .gradient = gradient})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::mean

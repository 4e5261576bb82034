// Hardmax: 1 at the first largest element along an axis, 0 elsewhere.
#include "compiler/ops/elementwise/elementwise.hpp"
#include "compiler/ops/normalization/softmax_lowering.hpp"

namespace onnxc::ops::hardmax {
namespace {

void lower(Lower& n) {
  const Shape& x = n.shape(0);
  const std::size_t axis = x.empty() ? 0 : n.axis(n.attr_int("axis"), x.size());
  const std::size_t end = std::min(axis + 1, x.size());
  n.call("hardmax")
      .dim("outer", product(x, 0, axis))
      .dim("extent", product(x, axis, end))
      .dim("inner", product(x, end, x.size()))
      .in(0)
      .out(0);
}

constexpr Op rows[] = {{
    .name = "Hardmax",
    .versions = "1 11 13",
    .inputs = "input:T",
    .outputs = "output:T",
    .types = "T: floats",
    .attributes = "axis:int=-1",
    .upgrade = upgrade_softmax,
    .infer = infer_softmax,
    .lower = lower,
    .gradient = gradient_is_zero,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::hardmax

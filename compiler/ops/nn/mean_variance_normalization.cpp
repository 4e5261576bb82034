// MeanVarianceNormalization: normalises over the given axes.
#include "compiler/ops/normalize.hpp"

namespace onnxc::ops::mean_variance_normalization {
namespace {

std::vector<bool> inner_axes(const NodeView& n) {
  const std::size_t rank = n.input(0).rank();
  std::vector<bool> inner(rank, false);
  for (std::int64_t axis : n.attr_ints("axes"))
    inner[n.axis(axis, rank, "attribute \"axes\"")] = true;
  return inner;
}

void infer(Infer& n) {
  infer_like_first(n);
  if (n.has_rank(0)) inner_axes(n);
}

void lower(Lower& n) {
  Normalization z = split_axes(n.shape(0), inner_axes(n));
  z.epsilon = 1e-9f;
  z.outside_root = true;
  const ElemType elem = n.elem(0);
  normalize(n, z).in(0).null(elem).null(elem).out(0).null(elem, true).null(elem, true);
}

constexpr Op rows[] = {{
    .name = "MeanVarianceNormalization",
    .versions = "9 13",
    .inputs = "X:T",
    .outputs = "Y:T",
    .types = "T: floats",
    .attributes = "axes:ints=0,2,3",
    .infer = infer,
    .lower = lower,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::mean_variance_normalization

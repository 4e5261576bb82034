// MeanVarianceNormalization: normalises over the given axes.
#include "compiler/ops/normalization/normalize.hpp"
#include "compiler/ops/upgrade.hpp"

namespace onnxc::ops::mean_variance_normalization {
namespace {

// Before opset 9 the axes are the batch and the spatial axes of [N, C, H, W], and the channels with
// across_channels; normalize_variance = 0 leaves the division out.
void upgrade(Upgrade& u) {
  if (u.version() >= 9) return;
  const bool across = u.find_int("across_channels").value_or(0) != 0;
  const bool divided = u.find_int("normalize_variance").value_or(1) != 0;
  const std::vector<std::int64_t> axes =
      across ? std::vector<std::int64_t>{0, 1, 2, 3} : std::vector<std::int64_t>{0, 2, 3};
  u.remove("across_channels");
  u.remove("normalize_variance");
  if (divided) return u.set("axes", axes);
  u.set_input(1, u.emit("ReduceMean", {u.node().inputs[0], u.constant(Tensor::ints(axes))}));
  u.to("Sub");
}

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

// Joins the deviation, not the variance.
constexpr float kEpsilon = 1e-9f;

void lower(Lower& n) {
  NormalizeNdShape<Dim> z = split_axes(n.shape(0), inner_axes(n));
  z.epsilon = kEpsilon;
  z.outside_root = true;
  const ElemType elem = n.elem(0);
  normalize(n, z).in(0).null(elem).null(elem).out(0).null(elem, true).null(elem, true);
}

// y = (x - mean) / (d + epsilon), d the deviation. Where d is 0 so is x - mean.
void gradient(Gradient& n) {
  std::vector<std::int64_t> axes;
  const std::vector<bool> inner = inner_axes(n);
  for (std::size_t i = 0; i < inner.size(); ++i)
    if (inner[i]) axes.push_back(static_cast<std::int64_t>(i));
  if (axes.empty()) return n.dx(0, n.builder().filled(0, n.x()));
  const auto mean = [&](Term v) { return n.emit("ReduceMean", {v, n.list(axes)}); };
  const Term centred = n.x() - mean(n.x());
  const Term variance = mean(centred * centred), none = variance == 0.0;
  const Term deviation = apply("Sqrt", choose(none, 1.0, variance));
  const Term divisor = choose(none, 0.0, deviation) + double{kEpsilon};
  const Term along = mean(n.dy() * centred) / (deviation * divisor * divisor);
  n.dx(0, (n.dy() - mean(n.dy())) / divisor - centred * along);
}

constexpr Op rows[] = {{
    .name = "MeanVarianceNormalization",
    .versions = "1 9 13",
    .inputs = "X:T",
    .outputs = "Y:T",
    .types = "T: floats",
    .attributes = "axes:ints=0,2,3@9- across_channels:int=0@1-8 normalize_variance:int=1@1-8",
    .upgrade = upgrade,
    .infer = infer,
    .lower = lower,
    .gradient = gradient,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::mean_variance_normalization

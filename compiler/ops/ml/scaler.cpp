// Scaler: (x - offset) * scale, per feature.
#include "compiler/kernels/ml_calls.hpp"
#include "compiler/ops/gradient.hpp"
#include "compiler/ops/ml/classes.hpp"

namespace onnxc::ops::scaler {
namespace {

// Number of offsets: one, or one for each feature.
std::int64_t parameters(const NodeView& n) {
  const auto offsets = n.has_attr("offset") ? n.attr_floats("offset").size() : 0;
  const auto scales = n.has_attr("scale") ? n.attr_floats("scale").size() : 0;
  n.require(offsets == scales && scales > 0, "attribute \"scale\"", "{} scales and {} offsets",
            scales, offsets);
  return static_cast<std::int64_t>(scales);
}

void infer(Infer& n) {
  const std::int64_t count = parameters(n);
  if (n.has_rank(0) && count > 1) rows_of(n, count);
  n.output(0, ElemType::float32, n.input(0).shape);
}

void lower(Lower& n) {
  const std::int64_t count = parameters(n);
  const Dim rows = count > 1 ? feature_rows(n).rows : product(n.shape(0));
  Call call = n.call("scale_features", FeatureParametersShape<Dim>{rows, count});
  call.in(0).read(n.constant(floats_tensor(n.attr_floats("offset")), "offset"));
  call.read(n.constant(floats_tensor(n.attr_floats("scale")), "scale")).out(0);
}

void gradient(Gradient& n) {
  const Term scale = n.builder().term(n.builder().constant(floats_tensor(n.attr_floats("scale"))));
  n.dx(0, convert(n.dy() * scale, n.input(0).elem));
}

constexpr Op rows[] = {{
    .name = "Scaler",
    .domain = "ai.onnx.ml",
    .versions = "1",
    .inputs = "X:T",
    .outputs = "Y:float",
    .types = "T: float double int64 int32",
    .attributes = "offset:floats scale:floats",
    .infer = infer,
    .lower = lower,
    .gradient = gradient,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::scaler

// LinearRegressor: rows of features times coefficients, plus intercepts.
#include "compiler/ops/ml/linear_model.hpp"
#include "templates/ml/ml_calls.hpp"

namespace onnxc::ops::linear_regressor {
namespace {

LinearModel model(const NodeView& n) {
  const std::int64_t targets = n.attr_int("targets");
  n.require(targets >= 1, "attribute \"targets\"", "is {}", targets);
  return linear_model(n, targets);
}

void infer(Infer& n) {
  post_transform_of(n);
  const LinearModel m = model(n);
  std::optional<Shape> shape;
  if (n.has_rank(0)) shape = Shape{rows_of(n, m.features), m.targets};
  n.output(0, ElemType::float32, shape);
}

void lower(Lower& n) {
  const LinearModel m = model(n);
  const Dim rows = feature_rows(n).rows;
  lower_linear(n, m, n.out(0));
  const std::int64_t transform = post_transform_of(n);
  if (transform == 0) return;
  n.call("transform_scores", TransformScoresShape<Dim>{rows, m.targets, transform}).write(n.out(0));
}

constexpr Op rows[] = {{
    .name = "LinearRegressor",
    .domain = "ai.onnx.ml",
    .versions = "1",
    .inputs = "X:T",
    .outputs = "Y:float",
    .types = "T: float double int64 int32",
    .attributes = "coefficients:floats intercepts:floats post_transform:string=NONE targets:int=1",
    .infer = infer,
    .lower = lower,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::linear_regressor

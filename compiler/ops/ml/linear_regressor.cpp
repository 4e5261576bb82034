// LinearRegressor: rows of features times coefficients, plus intercepts.
#include "compiler/ops/gradient.hpp"
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

void gradient(Gradient& n) {
  n.shape(0);
  const LinearModel m = model(n);
  NodeBuilder& b = n.builder();
  const Tensor rows = floats_tensor(m.coefficients).reshaped({m.targets, m.features});
  const Term x = n.emit("Reshape", {convert(n.x(), ElemType::float32), n.list({-1, m.features})});
  Term y = matmul(x, permute(b.term(b.constant(rows)), {1, 0}));
  if (!m.intercepts.empty()) y = y + b.term(b.constant(floats_tensor(m.intercepts)));
  const std::string& transform = n.attr_string("post_transform");
  n.require(transform == "NONE" || transform == "LOGISTIC" || transform == "SOFTMAX",
            "attribute \"post_transform\"", "{} has no derivative in onnxc", transform);
  if (transform == "LOGISTIC") y = apply("Sigmoid", y);
  if (transform == "SOFTMAX") y = apply("Softmax", y);
  n.by_definition({y});
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
    .gradient = gradient,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::linear_regressor

// LinearClassifier and LinearRegressor: rows of features times coefficients, plus intercepts.
#include "compiler/kernels/ml_calls.hpp"
#include "compiler/ops/gradient.hpp"
#include "compiler/ops/ml/linear_model.hpp"
#include "templates/ml/classify.hpp"

namespace onnxc::ops::linear {
namespace {

struct Classifier {
  LinearModel model;
  Tensor labels;
  bool pair = false;  // one score decides between two labels
};

// One score for each intercept; without intercepts, as many as the coefficients give.
std::int64_t score_count(const NodeView& n, std::int64_t labels) {
  if (n.has_attr("intercepts") && !n.attr_floats("intercepts").empty())
    return static_cast<std::int64_t>(n.attr_floats("intercepts").size());
  if (!n.input(0).has_rank()) return labels;
  const Dim features = feature_rows(n).features;
  if (!features.is_const() || features.is(0)) return labels;
  return static_cast<std::int64_t>(n.attr_floats("coefficients").size()) / features.value();
}

Classifier classifier(const NodeView& n) {
  Classifier c;
  c.labels = class_labels(n, "classlabels_ints");
  c.model = linear_model(n, score_count(n, c.labels.size()));
  c.pair = c.model.targets == 1;
  n.require(c.model.targets <= c.labels.size() && (!c.pair || c.labels.size() <= 2),
            "attribute \"classlabels_*\"", "{} labels for {} scores", c.labels.size(),
            c.model.targets);
  return c;
}

void infer_classifier(Infer& n) {
  post_transform_of(n);
  const Classifier c = classifier(n);
  infer_classes(n, c.labels, c.model.features, c.pair ? c.labels.size() : c.model.targets);
}

// The label without a match comes first.
Tensor pair_of(const Tensor& labels) {
  if (labels.size() == 2) return labels;
  if (labels.elem() == ElemType::string) return strings_tensor({"", labels.strings()[0]});
  return Tensor::ints(std::vector<std::int64_t>{0, labels.to_int64s()[0]});
}

void lower_classifier(Lower& n) {
  const Classifier c = classifier(n);
  const Dim rows = feature_rows(n).rows;
  const BufferId scores = n.scratch(ElemType::float32, rows * c.model.targets, "scores");
  lower_linear(n, c.model, scores);
  const Dim transform = post_transform_of(n);
  Call call =
      c.pair
          ? n.call("classify_pair",
                   ClassifyPairShape<Dim>{rows, transform, c.labels.size(), kRestOfOne, 0})
                .read(scores)
          : n.call("classify", ClassifyShape<Dim>{rows, transform, c.model.targets}).write(scores);
  call.read(n.constant(c.pair ? pair_of(c.labels) : c.labels, "labels"));
  call.out(0, c.labels.elem()).out(1, ElemType::float32);
}

LinearModel model(const NodeView& n) {
  const std::int64_t targets = n.attr_int("targets");
  n.require(targets >= 1, "attribute \"targets\"", "is {}", targets);
  return linear_model(n, targets);
}

void infer_regressor(Infer& n) {
  post_transform_of(n);
  const LinearModel m = model(n);
  std::optional<Shape> shape;
  if (n.has_rank(0)) shape = Shape{rows_of(n, m.features), m.targets};
  n.output(0, ElemType::float32, shape);
}

void lower_regressor(Lower& n) {
  const LinearModel m = model(n);
  const Dim rows = feature_rows(n).rows;
  lower_linear(n, m, n.out(0));
  const std::int64_t transform = post_transform_of(n);
  if (transform == 0) return;
  n.call("transform_scores", TransformScoresShape<Dim>{rows, m.targets, transform}).write(n.out(0));
}

// The scores after the transform, in operators that have derivatives.
Term scores_of(Gradient& n, const LinearModel& m) {
  NodeBuilder& b = n.builder();
  const Tensor rows = floats_tensor(m.coefficients).reshaped({m.targets, m.features});
  const Term x = n.emit("Reshape", {convert(n.x(), ElemType::float32), n.list({-1, m.features})});
  Term y = matmul(x, permute(b.term(b.constant(rows)), {1, 0}));
  if (!m.intercepts.empty()) y = y + b.term(b.constant(floats_tensor(m.intercepts)));
  const std::string& transform = n.attr_string("post_transform");
  n.require(transform == "NONE" || transform == "LOGISTIC" || transform == "SOFTMAX",
            "attribute \"post_transform\"", "{} has no derivative in onnxc", transform);
  if (transform == "LOGISTIC") return apply("Sigmoid", y);
  return transform == "SOFTMAX" ? apply("Softmax", y) : y;
}

void gradient_of_regressor(Gradient& n) {
  n.shape(0);
  n.by_definition({scores_of(n, model(n))});
}

// The labels have no derivative.
void gradient_of_classifier(Gradient& n) {
  n.shape(0);
  const Classifier c = classifier(n);
  n.require(!c.pair, "attribute \"coefficients\"",
            "one score for two labels has no derivative in onnxc");
  n.by_definition({nullptr, scores_of(n, c.model)});
}

constexpr Op rows[] = {
    {
        .name = "LinearClassifier",
        .domain = "ai.onnx.ml",
        .versions = "1",
        .inputs = "X:T1",
        .outputs = "Y:T2 Z:float",
        .types = "T1: float double int64 int32; T2: string int64",
        .attributes = "classlabels_ints:ints classlabels_strings:strings coefficients:floats! "
                      "intercepts:floats multi_class:int=0 post_transform:string=NONE",
        .infer = infer_classifier,
        .lower = lower_classifier,
        .gradient = gradient_of_classifier,
    },
    {
        .name = "LinearRegressor",
        .domain = "ai.onnx.ml",
        .versions = "1",
        .inputs = "X:T",
        .outputs = "Y:float",
        .types = "T: float double int64 int32",
        .attributes =
            "coefficients:floats intercepts:floats post_transform:string=NONE targets:int=1",
        .infer = infer_regressor,
        .lower = lower_regressor,
        .gradient = gradient_of_regressor,
    }};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::linear

// SVMRegressor: regression by support vectors, or one-class detection.
#include "compiler/ops/ml/support_vectors.hpp"
#include "templates/ml/ml_calls.hpp"

namespace onnxc::ops::svm_regressor {
namespace {

struct Regressor {
  bool linear = false;
  SupportVectors vectors;
  std::vector<float> coefficients;
  float rho = 0;
  LinearModel model;  // of a linear one
  std::int64_t features = 0;
};

Regressor regressor(const NodeView& n) {
  Regressor r;
  const std::int64_t count = n.attr_int("n_supports");
  n.require(count >= 0, "attribute \"n_supports\"", "is {}", count);
  r.linear = count == 0;
  if (r.linear) {
    r.model = linear_machine(n, 1);
    r.features = r.model.features;
    return r;
  }
  r.vectors = support_vectors(n, count);
  r.features = r.vectors.features;
  if (n.has_attr("coefficients")) r.coefficients = n.attr_floats("coefficients");
  n.require(static_cast<std::int64_t>(r.coefficients.size()) == count, "attribute \"coefficients\"",
            "{} coefficients for {} vectors", r.coefficients.size(), count);
  n.require(n.has_attr("rho") && !n.attr_floats("rho").empty(), "attribute \"rho\"", "is empty");
  r.rho = n.attr_floats("rho")[0];
  return r;
}

void infer(Infer& n) {
  post_transform_of(n);
  const Regressor r = regressor(n);
  std::optional<Shape> y;
  if (n.has_rank(0)) y = Shape{rows_of(n, r.features), 1};
  n.output(0, ElemType::float32, y);
}

void lower(Lower& n) {
  const Regressor r = regressor(n);
  const Dim rows = feature_rows(n).rows;
  if (r.linear) {
    lower_linear(n, r.model, n.out(0));
  } else {
    const BufferId x = as_floats(n);
    n.call("svm_regressor", SvmRegressorShape<Dim>{kernel_function(n, r.vectors), r.rho})
        .macs(kernel_function_macs(n, r.vectors))
        .read(x)
        .read(n.constant(floats_tensor(r.vectors.vectors), "vectors"))
        .read(n.constant(floats_tensor(r.coefficients), "coefficients"))
        .out(0);
  }
  const std::int64_t transform = post_transform_of(n);
  if (n.attr_int("one_class") != 0)
    n.call("svm_one_class", SvmOneClassShape<Dim>{rows}).write(n.out(0));
  else if (transform != 0)
    n.call("transform_scores", TransformScoresShape<Dim>{rows, 1, transform}).write(n.out(0));
}

constexpr Op rows[] = {{
    .name = "SVMRegressor",
    .domain = "ai.onnx.ml",
    .versions = "1",
    .inputs = "X:T",
    .outputs = "Y:float",
    .types = "T: float double int64 int32",
    .attributes = "coefficients:floats kernel_params:floats kernel_type:string=LINEAR "
                  "n_supports:int=0 one_class:int=0 post_transform:string=NONE rho:floats "
                  "support_vectors:floats",
    .infer = infer,
    .lower = lower,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::svm_regressor

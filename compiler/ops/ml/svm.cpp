// SVMClassifier: the class that wins most pairwise decisions, or the largest linear score.
// SVMRegressor: regression by support vectors, or one-class detection.
#include <algorithm>

#include "compiler/kernels/ml_calls.hpp"
#include "compiler/ops/ml/linear_model.hpp"
#include "compiler/support/checked.hpp"
#include "templates/ml/svm.hpp"

namespace onnxc::ops::svm {
namespace {

struct SupportVectors {
  std::int64_t count = 0, features = 0;
  std::vector<float> vectors;  // [count, features]
  std::int64_t kernel = 0;     // kLinearKernel ...
  float gamma = 0, coef0 = 0, degree = 0;
};

// From the attributes support_vectors, kernel_type and kernel_params; `count` is the number of
// vectors.
SupportVectors support_vectors(const NodeView& n, std::int64_t count) {
  SupportVectors v;
  v.count = count;
  v.kernel = one_of(n, "kernel_type", {"LINEAR", "POLY", "RBF", "SIGMOID"});
  if (n.has_attr("support_vectors")) v.vectors = n.attr_floats("support_vectors");
  const auto size = static_cast<std::int64_t>(v.vectors.size());
  n.require(size > 0 && size % count == 0, "attribute \"support_vectors\"",
            "{} numbers for {} vectors", size, count);
  v.features = size / count;
  if (!n.has_attr("kernel_params") || n.attr_floats("kernel_params").empty()) return v;
  const auto& params = n.attr_floats("kernel_params");
  n.require(params.size() == 3, "attribute \"kernel_params\"", "{} numbers, needs 3",
            params.size());
  v.gamma = params[0];
  v.coef0 = params[1];
  v.degree = params[2];
  return v;
}

// The members of a kernel's shape that say how scores of rows and vectors are computed.
KernelFunctionShape<Dim> kernel_function(const Lower& n, const SupportVectors& v) {
  return {feature_rows(n).rows, v.features, v.count, v.kernel, v.gamma, v.coef0, v.degree};
}

Dim kernel_function_macs(const Lower& n, const SupportVectors& v) {
  return feature_rows(n).rows * Dim(v.count) * Dim(v.features);
}

// A linear SVM: coefficients for each score; all scores get rho[0].
LinearModel linear_machine(const NodeView& n, std::int64_t scores) {
  LinearModel m;
  m.targets = scores;
  if (n.has_attr("coefficients")) m.coefficients = n.attr_floats("coefficients");
  const auto count = static_cast<std::int64_t>(m.coefficients.size());
  n.require(count > 0 && count % scores == 0, "attribute \"coefficients\"",
            "{} coefficients for {} scores", count, scores);
  m.features = count / scores;
  n.require(n.has_attr("rho") && !n.attr_floats("rho").empty(), "attribute \"rho\"", "is empty");
  m.intercepts.assign(static_cast<std::size_t>(scores), n.attr_floats("rho")[0]);
  return m;
}

struct Classifier {
  Tensor labels;
  std::int64_t classes = 0, columns = 0, features = 0;
  bool linear = false, probabilities = false;
  LinearModel model;  // of a linear one
  SupportVectors vectors;
  std::vector<std::int32_t> first;  // first vector of each class, and the total
  std::vector<float> coefficients, rho, prob_a, prob_b;
};

std::vector<float> list(const NodeView& n, const std::string& name, std::int64_t wanted) {
  std::vector<float> out;
  if (n.has_attr(name)) out = n.attr_floats(name);
  n.require(static_cast<std::int64_t>(out.size()) >= wanted, "attribute \"" + name + "\"",
            "{} numbers, needs {}", out.size(), wanted);
  out.resize(static_cast<std::size_t>(wanted));
  return out;
}

// The vectors are those of the first class, then those of the second ...
std::int64_t count_vectors(const NodeView& n, Classifier& c) {
  if (!n.has_attr("vectors_per_class")) return 0;
  constexpr std::int64_t kMax = std::int64_t{1} << 30;
  std::int64_t count = 0;
  for (std::int64_t v : n.attr_ints("vectors_per_class")) {
    n.require(v >= 0 && v < kMax - count, "attribute \"vectors_per_class\"", "{} vectors", v);
    c.first.push_back(static_cast<std::int32_t>(count));
    count += v;
  }
  c.first.push_back(static_cast<std::int32_t>(count));
  return count;
}

void read_machine(const NodeView& n, Classifier& c, std::int64_t count) {
  constexpr std::int64_t kMax = 4096;
  n.require(static_cast<std::int64_t>(c.first.size()) == c.classes + 1,
            "attribute \"vectors_per_class\"", "{} counts for {} classes", c.first.size() - 1,
            c.classes);
  n.require(c.classes >= 2 && c.classes <= kMax, "attribute \"classlabels_*\"", "{} classes",
            c.classes);
  const std::int64_t pairs = c.classes * (c.classes - 1) / 2;
  c.vectors = support_vectors(n, count);
  c.features = c.vectors.features;
  c.coefficients = list(n, "coefficients", checked_mul(c.classes - 1, count));
  c.rho = list(n, "rho", pairs);
  c.probabilities = n.has_attr("prob_a") && !n.attr_floats("prob_a").empty();
  if (c.probabilities) {
    c.prob_a = list(n, "prob_a", pairs);
    c.prob_b = list(n, "prob_b", pairs);
  }
  c.columns = c.probabilities || c.classes == 2 ? c.classes : pairs;
}

Classifier classifier(const NodeView& n) {
  Classifier c;
  c.labels = class_labels(n, "classlabels_ints");
  c.classes = c.columns = c.labels.size();
  const std::int64_t count = count_vectors(n, c);
  c.linear = count == 0;
  if (!c.linear) {
    read_machine(n, c, count);
    return c;
  }
  c.model = linear_machine(n, c.classes);
  c.features = c.model.features;
  return c;
}

void infer_classifier(Infer& n) {
  post_transform_of(n);
  const Classifier c = classifier(n);
  infer_classes(n, c.labels, c.features, c.columns);
}

void lower_scores(Lower& n, const Classifier& c) {
  const Dim rows = feature_rows(n).rows;
  const BufferId scores = n.scratch(ElemType::float32, rows * Dim(c.classes), "scores");
  lower_linear(n, c.model, scores);
  const bool positive = std::all_of(c.model.coefficients.begin(), c.model.coefficients.end(),
                                    [](float v) { return v >= 0; });
  Call call = n.call("svm_linear_classes",
                     SvmLinearClassesShape<Dim>{rows, c.classes, post_transform_of(n), positive});
  call.write(scores).read(n.constant(c.labels, "labels")).out(0, c.labels.elem());
  call.out(1, ElemType::float32);
}

void lower_classifier(Lower& n) {
  const Classifier c = classifier(n);
  if (c.linear) return lower_scores(n, c);
  const BufferId x = as_floats(n);
  const BufferId scratch =
      n.scratch(ElemType::float32, svm_scratch(c.classes, c.vectors.count), "decisions");
  Call call = n.call("svm_classifier",
                     SvmClassifierShape<Dim>{kernel_function(n, c.vectors), c.classes, c.columns,
                                             post_transform_of(n), c.probabilities});
  call.macs(kernel_function_macs(n, c.vectors));
  const auto floats = [&](const std::vector<float>& values, const char* role) {
    call.read(n.constant(floats_tensor(values), role));
  };
  call.read(x).begin_struct("SvmClasses");
  floats(c.vectors.vectors, "vectors");
  floats(c.coefficients, "coefficients");
  const auto ends = static_cast<std::int64_t>(c.first.size());
  call.read(n.constant(Tensor::of<std::int32_t>(ElemType::int32, {ends}, c.first), "first"));
  floats(c.rho, "rho");
  if (c.probabilities) {
    floats(c.prob_a, "prob_a");
    floats(c.prob_b, "prob_b");
  } else {
    call.null(ElemType::float32).null(ElemType::float32);
  }
  call.read(n.constant(c.labels, "labels")).end_struct().write(scratch);
  call.out(0, c.labels.elem()).out(1, ElemType::float32);
}

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

void infer_regressor(Infer& n) {
  post_transform_of(n);
  const Regressor r = regressor(n);
  std::optional<Shape> y;
  if (n.has_rank(0)) y = Shape{rows_of(n, r.features), 1};
  n.output(0, ElemType::float32, y);
}

void lower_regressor(Lower& n) {
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

constexpr Op rows[] = {
    {
        .name = "SVMClassifier",
        .domain = "ai.onnx.ml",
        .versions = "1",
        .inputs = "X:T1",
        .outputs = "Y:T2 Z:float",
        .types = "T1: float double int64 int32; T2: string int64",
        .attributes = "classlabels_ints:ints classlabels_strings:strings coefficients:floats "
                      "kernel_params:floats kernel_type:string=LINEAR post_transform:string=NONE "
                      "prob_a:floats prob_b:floats rho:floats support_vectors:floats "
                      "vectors_per_class:ints",
        .infer = infer_classifier,
        .lower = lower_classifier,
    },
    {
        .name = "SVMRegressor",
        .domain = "ai.onnx.ml",
        .versions = "1",
        .inputs = "X:T",
        .outputs = "Y:float",
        .types = "T: float double int64 int32",
        .attributes = "coefficients:floats kernel_params:floats kernel_type:string=LINEAR "
                      "n_supports:int=0 one_class:int=0 post_transform:string=NONE rho:floats "
                      "support_vectors:floats",
        .infer = infer_regressor,
        .lower = lower_regressor,
    }};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::svm

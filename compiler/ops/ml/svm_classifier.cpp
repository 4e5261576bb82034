// SVMClassifier: the class that wins most pairwise decisions, or the largest linear score.
#include <algorithm>

#include "compiler/ops/ml/support_vectors.hpp"
#include "compiler/support/checked.hpp"
#include "templates/ml/ml_calls.hpp"
#include "templates/ml/svm.hpp"

namespace onnxc::ops::svm_classifier {
namespace {

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
  constexpr std::int64_t kMost = std::int64_t{1} << 30;
  std::int64_t count = 0;
  for (std::int64_t v : n.attr_ints("vectors_per_class")) {
    n.require(v >= 0 && v < kMost - count, "attribute \"vectors_per_class\"", "{} vectors", v);
    c.first.push_back(static_cast<std::int32_t>(count));
    count += v;
  }
  c.first.push_back(static_cast<std::int32_t>(count));
  return count;
}

void read_machine(const NodeView& n, Classifier& c, std::int64_t count) {
  constexpr std::int64_t kMost = 4096;
  n.require(static_cast<std::int64_t>(c.first.size()) == c.classes + 1,
            "attribute \"vectors_per_class\"", "{} counts for {} classes", c.first.size() - 1,
            c.classes);
  n.require(c.classes >= 2 && c.classes <= kMost, "attribute \"classlabels_*\"", "{} classes",
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

void infer(Infer& n) {
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

void lower(Lower& n) {
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

constexpr Op rows[] = {{
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
    .infer = infer,
    .lower = lower,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::svm_classifier

// Reads the attributes of a support vector machine.
#include "compiler/ops/ml/support_vectors.hpp"

namespace onnxc::ops {

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

KernelFunctionShape<Dim> kernel_function(const Lower& n, const SupportVectors& v) {
  return {feature_rows(n).rows, v.features, v.count, v.kernel, v.gamma, v.coef0, v.degree};
}

Dim kernel_function_macs(const Lower& n, const SupportVectors& v) {
  return feature_rows(n).rows * Dim(v.count) * Dim(v.features);
}

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

}  // namespace onnxc::ops

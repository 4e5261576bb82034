// Normalizer: divides rows of features by their maximum, L1 norm or L2 norm.
#include "compiler/kernels/ml_calls.hpp"
#include "compiler/ops/gradient.hpp"
#include "compiler/ops/ml/classes.hpp"

namespace onnxc::ops::normalizer {
namespace {

std::int64_t norm(const NodeView& n) { return one_of(n, "norm", {"MAX", "L1", "L2"}); }

void infer(Infer& n) {
  norm(n);
  if (n.has_rank(0)) feature_rows(n);
  n.output(0, ElemType::float32, n.input(0).shape);
}

void lower(Lower& n) {
  const FeatureRows x = feature_rows(n);
  n.call("normalize_features", NormalizeFeaturesShape<Dim>{x.rows, x.features, norm(n)})
      .in(0)
      .out(0);
}

void gradient(Gradient& n) {
  constexpr const char* kNorms[] = {"ReduceMax", "ReduceL1", "ReduceL2"};
  const Term x = convert(n.x(), ElemType::float32);
  const Term size = n.emit(kNorms[norm(n)], {x, n.list({-1})}, {{"keepdims", std::int64_t{1}}});
  n.by_definition({x / choose(size == 0.0, 1.0, size)});
}

constexpr Op rows[] = {{
    .name = "Normalizer",
    .domain = "ai.onnx.ml",
    .versions = "1",
    .inputs = "X:T",
    .outputs = "Y:float",
    .types = "T: float double int64 int32",
    .attributes = "norm:string=MAX",
    .infer = infer,
    .lower = lower,
    .gradient = gradient,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::normalizer

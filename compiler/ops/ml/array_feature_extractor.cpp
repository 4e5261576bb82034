// ArrayFeatureExtractor: selects elements along the last axis by index.
#include "compiler/kernels/movement_calls.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"

namespace onnxc::ops::array_feature_extractor {
namespace {

void infer(Infer& n) {
  if (!n.has_rank(0) || !n.has_rank(1)) return n.output(0, n.elem(0), std::nullopt);
  Shape z = n.shape(0);
  n.require(!z.empty(), "input 0 \"X\"", "a scalar has no axis");
  if (const Tensor* indices = n.constant(1); indices && z.back().is_const())
    for (std::int64_t i : indices->to_int64s())
      n.require(i >= -z.back().value() && i < z.back().value(), "input 1 \"Y\"",
                "index {} is outside an axis of {}", i, z.back().value());
  // A vector becomes a row.
  if (z.size() == 1) z.insert(z.begin(), 1);
  z.back() = product(n.shape(1));
  n.output(0, n.elem(0), z);
}

void lower(Lower& n) {
  const Shape& x = n.shape(0);
  n.call("gather", GatherShape<Dim>{product(x, 0, x.size() - 1), x.back(), 1, product(n.shape(1))})
      .in({0, 1})
      .out(0);
}

constexpr Op rows[] = {{
    .name = "ArrayFeatureExtractor",
    .domain = "ai.onnx.ml",
    .versions = "1",
    .inputs = "X:T Y:int64",
    .outputs = "Z:T",
    .types = "T: float double int64 int32 string",
    .infer = infer,
    .lower = lower,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::array_feature_extractor

// Binarizer: 1 where x is above a threshold, else 0.
#include "compiler/ops/elementwise/elementwise.hpp"
#include "templates/fn/binarize.hpp"

namespace onnxc::ops::binarizer {
namespace {

ScalarFn scalar(const Node& node) {
  return {.name = "binarize", .literals = {real_literal(float_of(node, "threshold"))}};
}

void fold(Fold& n) {
  if (!worth_folding(n)) return;
  const float threshold = n.attr_float("threshold");
  with_plain_type(n.in(0).elem(), [&](auto tag) {
    using T = decltype(tag);
    if constexpr (!std::is_same_v<T, bool>) {
      TensorBuilder y(n.in(0).elem(), n.out_dims(0));
      const auto x = n.in(0).as<T>();
      for (std::size_t i = 0; i < x.size(); ++i) y.data<T>()[i] = fn::binarize(x[i], threshold);
      n.out(0, y.take());
    }
  });
}

constexpr Op rows[] = {{
    .name = "Binarizer",
    .domain = "ai.onnx.ml",
    .versions = "1",
    .inputs = "X:T",
    .outputs = "Y:T",
    .types = "T: float double int64 int32",
    .attributes = "threshold:float=0.0",
    .infer = infer_unary,
    .fold = fold,
    .lower = lower_map,
    .scalar = scalar,
    .layout = layout_elementwise,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::binarizer

// FeatureVectorizer: concatenates the columns of its inputs, each cut or zero-padded to a width.
#include "compiler/kernels/ml_calls.hpp"
#include "compiler/ops/ml/classes.hpp"

namespace onnxc::ops::feature_vectorizer {
namespace {

// The width of each input.
std::vector<Dim> widths(const NodeView& n) {
  const auto* given = n.find_ints("inputdimensions");
  std::vector<Dim> out;
  for (std::size_t i = 0; i < n.input_count(); ++i)
    out.push_back(given && i < given->size() ? Dim((*given)[i]) : feature_rows(n, i).features);
  if (!given) return out;
  n.require(given->size() == n.input_count(), "attribute \"inputdimensions\"",
            "{} sizes for {} inputs", given->size(), n.input_count());
  for (std::int64_t v : *given)
    n.require(v >= 0, "attribute \"inputdimensions\"", "{} is negative", v);
  return out;
}

void infer(Infer& n) {
  std::optional<Shape> y;
  bool known = true;
  for (std::size_t i = 0; i < n.input_count(); ++i) known = known && n.has_rank(i);
  if (known) {
    Dim rows = feature_rows(n, 0).rows, width = 0;
    for (std::size_t i = 1; i < n.input_count(); ++i)
      rows = n.same(rows, feature_rows(n, i).rows, fmt::format("input {} \"X\"", i));
    for (const Dim& w : widths(n)) width = width + w;
    y = Shape{rows, width};
  }
  n.output(0, ElemType::float32, y);
}

void lower(Lower& n) {
  const std::vector<Dim> all = widths(n);
  const Shape& y = n.out_shape(0);
  Dim offset = 0;
  for (std::size_t i = 0; i < n.input_count(); ++i) {
    n.call("feature_columns",
           FeatureColumnsShape<Dim>{y[0], feature_rows(n, i).features, y[1], offset, all[i]})
        .in(i)
        .out(0);
    offset = offset + all[i];
  }
}

constexpr Op rows[] = {{
    .name = "FeatureVectorizer",
    .domain = "ai.onnx.ml",
    .versions = "1",
    .inputs = "X:T1+",
    .outputs = "Y:float",
    .types = "T1: int32 int64 float double",
    .attributes = "inputdimensions:ints",
    .infer = infer,
    .lower = lower,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::feature_vectorizer

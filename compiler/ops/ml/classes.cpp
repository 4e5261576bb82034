// Features, labels and transforms of classifiers and regressors.
#include "compiler/ops/ml/classes.hpp"
#include "compiler/kernels/ml_calls.hpp"

namespace onnxc::ops {

FeatureRows feature_rows(const NodeView& n, std::size_t i) {
  const Shape& x = *n.input(i).shape;
  n.require(x.size() == 1 || x.size() == 2, fmt::format("input {} \"X\"", i),
            "rank {}, needs 1 or 2", x.size());
  if (x.size() == 1) return {1, x[0]};
  return {x[0], x[1]};
}

Dim rows_of(const NodeView& n, const Dim& count) {
  const FeatureRows x = feature_rows(n);
  n.require(!x.features.is_const() || !count.is_const() || x.features == count, "input 0 \"X\"",
            "{} features, the model is made for {}", x.features.to_string(), count.to_string());
  n.same(x.features, count, "input 0 \"X\"");
  return x.rows;
}

std::int64_t one_of(const NodeView& n, const std::string& attribute,
                    std::initializer_list<std::string_view> words) {
  const std::string& given = n.attr_string(attribute);
  std::int64_t at = 0;
  std::string known;
  for (std::string_view word : words) {
    if (given == word) return at;
    known += (at++ ? ", " : "") + std::string(word);
  }
  n.fail("attribute \"" + attribute + "\"", fmt::format("is {}, not one of {}", given, known));
}

std::int64_t post_transform_of(const NodeView& n) {
  return one_of(n, "post_transform", {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"});
}

Tensor strings_tensor(std::vector<std::string> words) {
  const auto count = static_cast<std::int64_t>(words.size());
  return {{count}, std::move(words)};
}

Tensor floats_tensor(const std::vector<float>& values) {
  return Tensor::of<float>(ElemType::float32, {static_cast<std::int64_t>(values.size())}, values);
}

Tensor class_labels(const NodeView& n, const std::string& ints) {
  // Exporters also write the other list, empty.
  const bool texts =
      n.has_attr("classlabels_strings") && !n.attr_strings("classlabels_strings").empty();
  const bool numbers = n.has_attr(ints) && !n.attr_ints(ints).empty();
  n.require(texts != numbers, "attribute \"classlabels_*\"", "{}",
            texts ? "both lists have members" : "no labels");
  return texts ? strings_tensor(n.attr_strings("classlabels_strings"))
               : Tensor::ints(n.attr_ints(ints));
}

void infer_classes(Infer& n, const Tensor& labels, const Dim& features, const Dim& columns) {
  std::optional<Shape> y, z;
  if (n.has_rank(0)) {
    const Dim rows = rows_of(n, features);
    y = Shape{rows};
    z = Shape{rows, columns};
  }
  n.output(0, labels.elem(), y);
  n.output(1, ElemType::float32, z);
}

BufferId as_floats(Lower& n) {
  if (n.elem(0) == ElemType::float32) return n.in(0);
  const Dim count = product(n.shape(0));
  const BufferId y = n.scratch(ElemType::float32, count, "features");
  n.call("feature_columns", FeatureColumnsShape<Dim>{1, count, count, 0, count}).in(0).write(y);
  return y;
}

}  // namespace onnxc::ops

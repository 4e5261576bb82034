// Shared by the classifiers and regressors of ai.onnx.ml: rows of features, labels, transforms.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"

namespace onnxc::ops {

// [N, C], or [C] for one row.
struct FeatureRows {
  Dim rows, features;
};
// Reads input i, whose rank is known.
FeatureRows feature_rows(const NodeView& n, std::size_t i = 0);

// As feature_rows; requires `count` features.
Dim rows_of(const NodeView& n, const Dim& count);

// The position of an attribute's value in a list.
std::int64_t one_of(const NodeView& n, const std::string& attribute,
                    std::initializer_list<std::string_view> words);

// The attribute post_transform as classify.hpp numbers it.
std::int64_t post_transform_of(const NodeView& n);

// The labels from classlabels_strings or the attribute for integers; one of them is required.
Tensor class_labels(const NodeView& n, const std::string& ints);
// The outputs of a classifier whose X has `features`: labels [rows] and scores [rows, columns].
void infer_classes(Infer& n, const Tensor& labels, const Dim& features, const Dim& columns);
Tensor strings_tensor(std::vector<std::string> words);
Tensor floats_tensor(const std::vector<float>& values);

// Input 0 as floats: itself, or converted into scratch memory.
BufferId as_floats(Lower& n);

}  // namespace onnxc::ops

// ml_shapes.hpp - shapes that kernels of this folder are given; what the members mean stands
// with the kernels.
#pragma once

#include "templates/member_list.hpp"

namespace onnxc {

template <class N>
struct FeatureColumnsShape {
  N rows, columns, stride, offset, width;
};

// Of impute_features and scale_features.
template <class N>
struct FeatureParametersShape {
  N rows, parameters;
};

template <class N>
struct TransformScoresShape {
  N rows, columns, transform;
};

template <class N>
struct LabelEncoderShape {
  N count, entries;
};

template <class N>
struct NormalizeFeaturesShape {
  N rows, columns, norm;
};

template <class N>
struct OneHotEncoderShape {
  N count, entries, width;
  bool zeros;
};

template <class N>
struct SvmLinearClassesShape {
  N rows, classes, transform;
  bool positive;
};

template <class N>
struct SvmOneClassShape {
  N rows;
};

}  // namespace onnxc

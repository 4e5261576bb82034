// ml_calls.hpp - shapes passed to the kernels of this folder; the members are documented with the
// kernels.
#pragma once

#include "compiler/kernels/shape_struct.hpp"

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

template <class N>
struct ClassifyShape {
  N rows, transform, classes;
};

template <class N>
struct ClassifyPairShape {
  N rows, transform, columns, rest;
  float threshold;
};

template <class N>
struct KernelFunctionShape {
  N rows, features, vectors, kernel;
  float gamma, coef0, degree;
};

template <class N>
struct SvmClassifierShape {
  KernelFunctionShape<N> machine;
  N classes, columns, transform;
  bool probabilities;
};

template <class N>
struct SvmRegressorShape {
  KernelFunctionShape<N> machine;
  float rho;
};

}  // namespace onnxc

// features.hpp - rows of features: conversion, scaling, imputing, normalising.
#pragma once

#include <cmath>
#include <type_traits>

#include "runtime_min/types.hpp"

namespace onnxc {

// Feature arithmetic is in double for double and in float for everything else.
template <class T>
using feature_t = std::conditional_t<std::is_same<T, double>::value, double, float>;

// x: [rows, columns], y: [rows, stride], of which the columns from s.offset on become those of x,
// cut or filled up with zeros to s.width.  s: rows, columns, stride, offset, width.
template <class S, class T>
void feature_columns(S s, const T* x, float* y) {
  y += s.offset;
  for (Index r = 0; r < s.rows; ++r, x += s.columns, y += s.stride)
    for (Index c = 0; c < s.width; ++c) y[c] = c < s.columns ? static_cast<float>(x[c]) : 0.0f;
}

// y = (x - offset) * scale, with one offset and scale for each of s.parameters columns.
// s: rows, parameters.
template <class S, class T>
void scale_features(S s, const T* x, const float* offset, const float* scale, float* y) {
  using C = feature_t<T>;
  for (Index r = 0; r < s.rows; ++r, x += s.parameters, y += s.parameters)
    for (Index c = 0; c < s.parameters; ++c)
      y[c] = static_cast<float>((static_cast<C>(x[c]) - static_cast<C>(offset[c])) *
                                static_cast<C>(scale[c]));
}

// y = x, or the value of its column where x is *replaced; NaN equals itself.
// s: rows, parameters.
template <class S, class T>
void impute_features(S s, const T* x, const T* replaced, const T* values, T* y) {
  const T wanted = *replaced;
  const bool nan = wanted != wanted;
  for (Index r = 0; r < s.rows; ++r, x += s.parameters, y += s.parameters)
    for (Index c = 0; c < s.parameters; ++c)
      y[c] = (nan ? x[c] != x[c] : x[c] == wanted) ? values[c] : x[c];
}

constexpr Index kDivideByMax = 0, kDivideBySum = 1, kDivideByLength = 2;

// y: each row of x divided by its largest element, the sum of its magnitudes, or its length, unless
// that is zero.  s: rows, columns, norm.
template <class S, class T>
void normalize_features(S s, const T* x, float* y) {
  using C = feature_t<T>;
  for (Index r = 0; r < s.rows; ++r, x += s.columns, y += s.columns) {
    C norm = s.norm == kDivideByMax ? std::numeric_limits<C>::lowest() : C(0);
    for (Index c = 0; c < s.columns; ++c) {
      const C v = static_cast<C>(x[c]);
      if (s.norm == kDivideByMax)
        norm = v > norm ? v : norm;
      else
        norm += s.norm == kDivideBySum ? std::abs(v) : v * v;
    }
    if (s.norm == kDivideByLength) norm = std::sqrt(norm);
    const C divisor = norm == C(0) ? C(1) : norm;
    for (Index c = 0; c < s.columns; ++c) y[c] = static_cast<float>(static_cast<C>(x[c]) / divisor);
  }
}

}  // namespace onnxc

// post_transform.hpp - the post_transform attribute of ai.onnx.ml: softmax, logistic or probit of a
// row of scores.
#pragma once

#include <cmath>

#include "runtime_min/math.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

// Numbered as the attribute of TreeEnsemble.
constexpr Index kSoftmaxScores = 1, kLogisticScores = 2, kSoftmaxZeroScores = 3, kProbitScores = 4;

inline float score_exp(float x) { return math::exp(x); }
inline double score_exp(double x) { return std::exp(x); }
inline float score_log(float x) { return math::log(x); }
inline double score_log(double x) { return std::log(x); }

template <class C>
C logistic_score(C x) {
  const C v = C(1) / (C(1) + score_exp(x < C(0) ? x : -x));
  return x < C(0) ? C(1) - v : v;
}

// The inverse of the normal distribution by Winitzki's approximation (2008), good for three digits;
// a = 0.147 as in other runtimes.
template <class C>
C probit_score(C x) {
  const C t = C(2) * x - C(1);
  const C log = score_log((C(1) - t) * (C(1) + t));
  const C v = C(2) / (C(3.14159f) * C(0.147f)) + C(0.5f) * log;
  const C root = std::sqrt(std::sqrt(v * v - C(1) / C(0.147f) * log) - v);
  return C(1.41421356f) * (t < C(0) ? -root : root);
}

// SKIP_ZEROS: values within 1e-7 of zero are left out of the sum, and only scaled.
template <bool SKIP_ZEROS, class C>
void softmax_scores(C* v, Index count) {
  C largest = -std::numeric_limits<C>::max(), sum = C(0);
  for (Index k = 0; k < count; ++k)
    if (v[k] > largest) largest = v[k];
  for (Index k = 0; k < count; ++k) {
    const bool zero = SKIP_ZEROS && v[k] >= C(-1e-7f) && v[k] <= C(1e-7f);
    v[k] = zero ? v[k] * score_exp(-largest) : score_exp(v[k] - largest);
    if (!zero) sum += v[k];
  }
  for (Index k = 0; k < count; ++k) v[k] = sum == C(0) ? C(0.5f) : v[k] / sum;
}

template <class C>
void post_transform(Index transform, C* v, Index count) {
  if (transform == kSoftmaxScores) softmax_scores<false>(v, count);
  if (transform == kSoftmaxZeroScores) softmax_scores<true>(v, count);
  if (transform == kLogisticScores)
    for (Index k = 0; k < count; ++k) v[k] = logistic_score(v[k]);
  if (transform == kProbitScores)
    for (Index k = 0; k < count; ++k) v[k] = probit_score(v[k]);
}

// y: [rows, columns], row by row.  s: rows, columns, transform.
template <class S, class C>
void transform_scores(S s, C* y) {
  for (Index r = 0; r < s.rows; ++r, y += s.columns) post_transform(s.transform, y, s.columns);
}

}  // namespace onnxc

// classify.hpp - from scores to labels and transformed scores.
#pragma once

#include "templates/post_transform.hpp"

namespace onnxc {

// scores: [rows, classes], overwritten. y: [rows], the label of the largest score, of equal ones
// the first. z: [rows, classes]; it and y may be null.  s: rows, classes, transform.
template <class S, class C, class L>
void classify(S s, C* scores, const L* labels, L* y, float* z) {
  for (Index r = 0; r < s.rows; ++r, scores += s.classes) {
    Index best = 0;
    for (Index k = 1; k < s.classes; ++k)
      if (scores[k] > scores[best]) best = k;
    if (y != nullptr) y[r] = labels[best];
    if (z == nullptr) continue;
    post_transform(s.transform, scores, s.classes);
    for (Index k = 0; k < s.classes; ++k) z[r * s.classes + k] = static_cast<float>(scores[k]);
  }
}

// The score of the first class when the second one's is v: 1 - v, -v, or 0.
constexpr Index kRestOfOne = 0, kRestNegated = 1, kRestZero = 2;

// One score that decides between two labels. scores: [rows]; y: [rows]; z: [rows, columns], the
// scores of both classes or, with one column, the second alone. Two scores that depend on each
// other get no softmax.  s: rows, columns, transform, rest, threshold.
template <class S, class C, class L>
void classify_pair(S s, const C* scores, const L* labels, L* y, float* z) {
  const bool each = s.transform == kLogisticScores || s.transform == kProbitScores;
  for (Index r = 0; r < s.rows; ++r) {
    const C v = scores[r];
    if (y != nullptr) y[r] = labels[v > static_cast<C>(s.threshold) ? 1 : 0];
    if (z == nullptr) continue;
    C pair[2] = {s.rest == kRestNegated ? -v : C(1) - v, v};
    if (s.transform == kLogisticScores) pair[0] = -v;
    if (s.transform == kProbitScores) pair[0] = C(1) - v;
    if (s.rest == kRestZero) pair[0] = C(0);
    if (s.columns == 1)
      post_transform(s.transform, pair + 1, 1);
    else if (each || s.rest == kRestZero)
      post_transform(s.transform, pair, 2);
    if (s.columns == 2) *z++ = static_cast<float>(pair[0]);
    *z++ = static_cast<float>(pair[1]);
  }
}

}  // namespace onnxc

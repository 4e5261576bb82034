// classify.hpp - from scores to labels and transformed scores.
#pragma once

#include "templates/ml/post_transform.hpp"

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

// Both scores from that of the second class. Scores that depend on each other get no softmax.
template <class C>
void score_pair(Index transform, Index rest, C v, C* pair) {
  const bool each = transform == kLogisticScores || transform == kProbitScores;
  pair[0] = rest == kRestNegated ? -v : C(1) - v;
  pair[1] = v;
  if (transform == kLogisticScores) pair[0] = -v;
  if (transform == kProbitScores) pair[0] = C(1) - v;
  if (rest == kRestZero) pair[0] = C(0);
  if (each || rest == kRestZero) post_transform(transform, pair, 2);
}

// One score that decides between two labels. scores: [rows]; y: [rows]; z: [rows, columns], the
// scores of both classes or, with one column, the second alone; y and z may be null.
// s: rows, columns, transform, rest, threshold.
template <class S, class C, class L>
void classify_pair(S s, const C* scores, const L* labels, L* y, float* z) {
  for (Index r = 0; r < s.rows; ++r) {
    const C v = scores[r];
    if (y != nullptr) y[r] = labels[v > static_cast<C>(s.threshold) ? 1 : 0];
    if (z == nullptr) continue;
    C pair[2] = {C(0), v};
    if (s.columns == 1)
      post_transform(s.transform, pair + 1, 1);
    else
      score_pair(s.transform, s.rest, v, pair);
    if (s.columns == 2) *z++ = static_cast<float>(pair[0]);
    *z++ = static_cast<float>(pair[1]);
  }
}

}  // namespace onnxc

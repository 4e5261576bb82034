// svm.hpp - support vector machines: kernel functions, decisions between pairs of classes, votes
// and probabilities.
#pragma once

#include <cmath>

#include "runtime_min/math.hpp"
#include "runtime_min/simd.hpp"
#include "templates/ml/classify.hpp"

namespace onnxc {

constexpr Index kLinearKernel = 0, kPolyKernel = 1, kRbfKernel = 2, kSigmoidKernel = 3;

inline float dot_product(const float* a, const float* b, Index count) {
  vfloat sum = {};
  Index i = 0;
  for (; i + kLanes <= count; i += kLanes) sum += load(a + i) * load(b + i);
  float rest = horizontal_sum(sum);
  for (; i < count; ++i) rest += a[i] * b[i];
  return rest;
}

inline float squared_distance(const float* a, const float* b, Index count) {
  vfloat sum = {};
  Index i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const vfloat d = load(a + i) - load(b + i);
    sum += d * d;
  }
  float rest = horizontal_sum(sum);
  for (; i < count; ++i) rest += (a[i] - b[i]) * (a[i] - b[i]);
  return rest;
}

// The kernel function of a row and a support vector.  s: features, kernel, gamma, coef0, degree.
template <class S>
float svm_kernel(S s, const float* x, const float* vector) {
  if (s.kernel == kRbfKernel) return math::exp(-s.gamma * squared_distance(x, vector, s.features));
  const float dot = dot_product(x, vector, s.features);
  if (s.kernel == kLinearKernel) return dot;
  const float v = s.gamma * dot + s.coef0;
  if (s.kernel == kSigmoidKernel) return math::tanh(v);
  if (s.degree == 2.0f) return v * v;
  return s.degree == 3.0f ? v * v * v : std::pow(v, s.degree);
}

// x: [rows, features], vectors: [vectors, features], coefficients: [vectors], y: [rows].
// s: rows, features, vectors, kernel, gamma, coef0, degree, rho.
template <class S>
void svm_regressor(S s, const float* x, const float* vectors, const float* coefficients, float* y) {
  for (Index r = 0; r < s.rows; ++r, x += s.features) {
    float sum = s.rho;
    for (Index v = 0; v < s.vectors; ++v)
      sum += coefficients[v] * svm_kernel(s, x, vectors + v * s.features);
    y[r] = sum;
  }
}

// Whether a row belongs to the one class: 1 or -1.  s: rows.
template <class S>
void svm_one_class(S s, float* y) {
  for (Index r = 0; r < s.rows; ++r) y[r] = y[r] > 0.0f ? 1.0f : -1.0f;
}

// The first of the largest.
inline Index largest_score(const float* v, Index count) {
  Index best = 0;
  for (Index k = 1; k < count; ++k)
    if (v[k] > v[best]) best = k;
  return best;
}

// p: probabilities of the classes, from those of each pair, r[i * classes + j] for i against j, by
// the second method of Wu, Lin and Weng (2004). q: classes * classes, qp: classes floats of
// scratch.
inline void couple_probabilities(Index classes, const float* r, float* q, float* qp, float* p) {
  for (Index i = 0; i < classes; ++i) {
    p[i] = 1.0f / static_cast<float>(classes);
    float* const row = q + i * classes;
    row[i] = 0.0f;
    for (Index j = 0; j < classes; ++j) {
      if (j == i) continue;
      row[i] += r[j * classes + i] * r[j * classes + i];
      row[j] = -r[j * classes + i] * r[i * classes + j];
    }
  }
  constexpr int kMaxRounds = 100;
  const float enough = 0.005f / static_cast<float>(classes);
  for (int round = 0; round < kMaxRounds; ++round) {
    float pqp = 0.0f, error = 0.0f;
    for (Index i = 0; i < classes; ++i) {
      qp[i] = 0.0f;
      for (Index j = 0; j < classes; ++j) qp[i] += q[i * classes + j] * p[j];
      pqp += p[i] * qp[i];
    }
    for (Index i = 0; i < classes; ++i) {
      const float off = std::abs(qp[i] - pqp);
      if (off > error) error = off;
    }
    if (error < enough) return;
    for (Index i = 0; i < classes; ++i) {
      const float* const row = q + i * classes;
      const float step = (pqp - qp[i]) / row[i], total = 1.0f + step;
      p[i] += step;
      pqp = (pqp + step * (step * row[i] + 2.0f * qp[i])) / total / total;
      for (Index j = 0; j < classes; ++j) {
        qp[j] = (qp[j] + step * row[j]) / total;
        p[j] /= total;
      }
    }
  }
}

// The probability that decision `score` is for the first class of its pair.
inline float pair_probability(float score, float a, float b) {
  constexpr float kLeast = 1e-7f;
  const float p = 1.0f - logistic_score(score * a + b);
  const float low = p < kLeast ? kLeast : p;
  return low > 1.0f - kLeast ? 1.0f - kLeast : low;
}

// One decision for each pair of classes, in the order (0, 1), (0, 2) ...; each is a vote.
template <class S>
void svm_decisions(S s, const float* near, const float* coefficients, const std::int32_t* first,
                   const float* rho, float* decisions, float* votes) {
  for (Index k = 0; k < s.classes; ++k) votes[k] = 0.0f;
  for (Index i = 0; i < s.classes; ++i)
    for (Index j = i + 1; j < s.classes; ++j) {
      const float* const of_i = coefficients + (j - 1) * s.vectors + first[i];
      const float* const of_j = coefficients + i * s.vectors + first[j];
      const float sum = dot_product(of_i, near + first[i], first[i + 1] - first[i]) +
                        dot_product(of_j, near + first[j], first[j + 1] - first[j]) + *rho++;
      *decisions++ = sum;
      votes[sum > 0.0f ? i : j] += 1.0f;
    }
}

// Floats of scratch that svm_classifier needs.
constexpr Index svm_scratch(Index classes, Index vectors) {
  return vectors + classes * (classes - 1) / 2 + 2 * classes + 2 * classes * classes;
}

// The trained classifier. vectors: [vectors, features]; those of class k are first[k] ..
// first[k + 1). coefficients: [classes - 1, vectors]; rho, prob_a, prob_b: one for each pair of
// classes, the latter two null without probabilities; labels: [classes].
template <class L>
struct SvmClasses {
  const float* vectors;
  const float* coefficients;
  const std::int32_t* first;
  const float* rho;
  const float* prob_a;
  const float* prob_b;
  const L* labels;
};
template <class L>
SvmClasses(const float*, const float*, const std::int32_t*, const float*, const float*,
           const float*, const L*) -> SvmClasses<L>;

// z: [classes], the probabilities from the decisions of the pairs. scratch: [2 * classes * classes
// + classes].
template <class L>
void svm_probabilities(Index classes, const SvmClasses<L>& c, const float* decisions,
                       float* scratch, float* z) {
  float *const qp = scratch, *const against = qp + classes, *const q = against + classes * classes;
  Index pair = 0;
  for (Index i = 0; i < classes; ++i)
    for (Index j = i + 1; j < classes; ++j, ++pair) {
      const float p = pair_probability(decisions[pair], c.prob_a[pair], c.prob_b[pair]);
      against[i * classes + j] = p;
      against[j * classes + i] = 1.0f - p;
    }
  couple_probabilities(classes, against, q, qp, z);
}

// x: [rows, features]. y: [rows], the label with most votes. z: [rows, columns]: the decisions, for
// two classes one of them negated, or probabilities if s.probabilities. y and z may be null.
// scratch: [svm_scratch].
// s: rows, features, vectors, classes, columns, probabilities, transform and those of svm_kernel.
template <class S, class L>
void svm_classifier(S s, const float* x, const SvmClasses<L>& c, float* scratch, L* y, float* z) {
  const Index pairs = s.classes * (s.classes - 1) / 2;
  float *const near = scratch, *const decisions = near + s.vectors;
  float *const votes = decisions + pairs, *const work = votes + s.classes;
  for (Index r = 0; r < s.rows; ++r, x += s.features) {
    for (Index v = 0; v < s.vectors; ++v) near[v] = svm_kernel(s, x, c.vectors + v * s.features);
    svm_decisions(s, near, c.coefficients, c.first, c.rho, decisions, votes);
    if (y != nullptr) y[r] = c.labels[largest_score(votes, s.classes)];
    if (z == nullptr) continue;
    if (s.probabilities) {
      svm_probabilities(s.classes, c, decisions, work, z);
      post_transform(s.transform, z, s.columns);
    } else if (s.classes == 2) {
      score_pair(s.transform, s.transform == 0 ? kRestNegated : kRestOfOne, decisions[0], z);
    } else {
      for (Index k = 0; k < pairs; ++k) z[k] = decisions[k];
      post_transform(s.transform, z, s.columns);
    }
    z += s.columns;
  }
}

// A linear machine with a score for each class. scores: [rows, classes], overwritten. With two
// classes, a largest score above 0, or of 0.5 and more without negative coefficients, stands for
// the second.  s: rows, classes, transform, positive.
template <class S, class L>
void svm_linear_classes(S s, float* scores, const L* labels, L* y, float* z) {
  for (Index r = 0; r < s.rows; ++r, scores += s.classes) {
    const Index best = largest_score(scores, s.classes);
    const bool high = s.positive ? scores[best] >= 0.5f : scores[best] > 0.0f;
    if (y != nullptr) y[r] = labels[s.classes == 2 && high ? 1 : best];
    if (z == nullptr) continue;
    post_transform(s.transform, scores, s.classes);
    for (Index k = 0; k < s.classes; ++k) *z++ = scores[k];
  }
}

}  // namespace onnxc

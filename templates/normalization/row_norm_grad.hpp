// row_norm_grad.hpp - derivatives of LayerNormalization and RMSNormalization: one pass for that by
// the rows, one for those by scale and bias.
#pragma once

#include <cmath>
#include <type_traits>

#include "runtime_min/chunk.hpp"
#include "runtime_min/simd.hpp"
#include "runtime_min/types.hpp"
#include "templates/normalization/layer_norm.hpp"
#include "templates/normalization/numbers.hpp"

namespace onnxc {

// The mean, or zero, and the factor of a row.
template <bool CENTRED, class T>
void write_moments(const T* x, Index count, float epsilon, T* moments) {
  if constexpr (std::is_same_v<T, float>) {
    const RowMoments m = row_moments<CENTRED>(x, count, epsilon);
    moments[0] = m.mean, moments[1] = m.factor;
  } else {
    const T n = static_cast<T>(count);
    T sum{}, squares{};
    for (Index i = 0; CENTRED && i < count; ++i) sum += x[i];
    const T mean = sum / n;
    for (Index i = 0; i < count; ++i) squares += (x[i] - mean) * (x[i] - mean);
    moments[0] = mean, moments[1] = T{1} / std::sqrt(squares / n + static_cast<T>(epsilon));
  }
}

// One row: with z the normalised elements and g = dy * scale, dx = (g - mean(g) - z mean(g z)) *
// factor; without mean(g) unless CENTRED.
template <bool CENTRED, class T>
[[gnu::noinline]] void norm_grad_of_row(const T* x, const T* scale, const T* dy, Index count,
                                        const T* moments, T* dx) {
  const T mean = moments[0], factor = moments[1], n = static_cast<T>(count);
  LaneSum<T> sum, product;
  for_numbers<T>(count, [&](Index i, auto lane) {
    using V = decltype(lane);
    const V g = number_at<V>(dy + i) * number_at<V>(scale + i);
    if constexpr (CENTRED) sum.add(g);
    product.add(g * (number_at<V>(x + i) - mean));
  });
  const T shift = CENTRED ? sum.total() / n : T{};
  const T slope = product.total() * factor * factor / n;
  for_numbers<T>(count, [&](Index i, auto lane) {
    using V = decltype(lane);
    const V g = number_at<V>(dy + i) * number_at<V>(scale + i);
    put_number(dx + i, (g - shift - (number_at<V>(x + i) - mean) * slope) * factor);
  });
}

// x, dy: [rows, size]; scale: [size]; moments: [rows, 2] gets mean and factor of each row; dx:
// [rows, size] or null; it may be x or dy. s: rows, size, epsilon. Divisible.
template <bool CENTRED, class S, class T>
void row_norm_grad(S s, const T* x, const T* scale, const T* dy, T* dx, T* moments) {
  const Span own = chunk_range(s, s.rows);
  for (Index r = own.begin; r < own.end; ++r) {
    const Index at = r * s.size;
    write_moments<CENTRED>(x + at, s.size, s.epsilon, moments + 2 * r);
    if (dx != nullptr)
      norm_grad_of_row<CENTRED>(x + at, scale, dy + at, s.size, moments + 2 * r, dx + at);
  }
}

// The sums over all rows: of dy * z in dscale, of dy in dbias, [size] each or null. moments: from
// row_norm_grad. s: rows, size, epsilon. Divisible.
template <class S, class T>
void row_norm_scale_grad(S s, const T* x, const T* dy, const T* moments, T* dscale, T* dbias) {
  // Whole vectors, so that each column is summed alike by any number of threads.
  const Span blocks = chunk_range(s, (s.size + kLanes - 1) / kLanes);
  const Index begin = blocks.begin * kLanes,
              end = blocks.end * kLanes < s.size ? blocks.end * kLanes : s.size;
  for (Index r = 0; r < s.rows; ++r) {
    const T mean = moments[2 * r], factor = moments[2 * r + 1];
    const Index at = r * s.size;
    for_numbers<T>(end - begin, [&](Index k, auto lane) {
      using V = decltype(lane);
      const Index i = begin + k;
      const V d = number_at<V>(dy + at + i);
      if (dscale != nullptr) {
        const V z = (number_at<V>(x + at + i) - mean) * factor;
        put_number(dscale + i, r == 0 ? d * z : number_at<V>(dscale + i) + d * z);
      }
      if (dbias != nullptr) put_number(dbias + i, r == 0 ? d : number_at<V>(dbias + i) + d);
    });
  }
  for (Index i = begin; i < end && s.rows == 0; ++i) {
    if (dscale != nullptr) dscale[i] = T{};
    if (dbias != nullptr) dbias[i] = T{};
  }
}

}  // namespace onnxc

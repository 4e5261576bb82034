// inverse.hpp - inverses of square matrices by elimination with the largest pivots.
#pragma once

#include <cmath>
#include <type_traits>

#include "runtime_min/half.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

// rows: [size, 2 * size], the matrix and the identity next to it; its right half becomes the
// inverse.
template <class A>
void eliminate(Index size, A* rows) {
  const Index width = 2 * size;
  for (Index c = 0; c < size; ++c) {
    Index pivot = c;
    for (Index i = c + 1; i < size; ++i)
      if (std::fabs(rows[i * width + c]) > std::fabs(rows[pivot * width + c])) pivot = i;
    for (Index j = 0; j < width && pivot != c; ++j) {
      const A held = rows[c * width + j];
      rows[c * width + j] = rows[pivot * width + j];
      rows[pivot * width + j] = held;
    }
    const A factor = A(1) / rows[c * width + c];
    for (Index j = 0; j < width; ++j) rows[c * width + j] *= factor;
    for (Index i = 0; i < size; ++i) {
      const A multiple = rows[i * width + c];
      for (Index j = 0; j < width && i != c; ++j)
        rows[i * width + j] -= multiple * rows[c * width + j];
    }
  }
}

// x, y: [batch, size, size]; what has no inverse becomes infinite or NaN. Scratch: [size, 2 *
// size]. s: batch, size.
template <class S, class T>
void inverse(S s, const T* x, T* y, compute_t<T>* scratch) {
  using A = compute_t<T>;
  const Index area = s.size * s.size;
  for (Index b = 0; b < s.batch; ++b, x += area, y += area) {
    for (Index i = 0; i < s.size; ++i) {
      A* row = scratch + i * 2 * s.size;
      for (Index j = 0; j < s.size; ++j) {
        row[j] = static_cast<A>(x[i * s.size + j]);
        row[s.size + j] = i == j ? A(1) : A(0);
      }
    }
    eliminate(s.size, scratch);
    for (Index i = 0; i < s.size; ++i)
      for (Index j = 0; j < s.size; ++j)
        y[i * s.size + j] = static_cast<T>(scratch[(2 * i + 1) * s.size + j]);
  }
}

}  // namespace onnxc

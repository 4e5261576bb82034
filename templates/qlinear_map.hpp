// qlinear_map.hpp - sums, products and functions of quantised numbers, quantised again.
#pragma once

#include <cmath>
#include <cstdint>

#include "runtime_min/types.hpp"
#include "templates/quantize.hpp"
#include "templates/window.hpp"

namespace onnxc {

// a, b: read with steps along dims[R]; y: [dims]. Zero points may be null. s: dims[R], a_step[R],
// b_step[R], multiply.
template <std::size_t R, class S, class T>
void qlinear_binary(S s, const T* a, const float* a_scale, const T* a_zero, const T* b,
                    const float* b_scale, const T* b_zero, const float* y_scale, const T* y_zero,
                    T* y) {
  const float za = number_of(a_zero, 0), zb = number_of(b_zero, 0), zy = number_of(y_zero, 0);
  // What ONNX Runtime does: rounds after the zero point is added, which tells for ties.
  const float fa = *a_scale / *y_scale, fb = *b_scale / *y_scale;
  const float factor = *a_scale * *b_scale / *y_scale;
  constexpr std::size_t last = R - 1;
  const Index columns = s.dims[last], at = s.a_step[last], bt = s.b_step[last];
  Index rows = columns > 0 ? box_size<R>(s.dims) / columns : 0;
  Position<R> p;
  for (; rows > 0; --rows) {
    const T *x = a, *z = b;
    for (std::size_t i = 0; i < last; ++i) {
      x += p.at[i] * s.a_step[i];
      z += p.at[i] * s.b_step[i];
    }
    for (Index j = 0; j < columns; ++j) {
      const float u = static_cast<float>(x[j * at]) - za, v = static_cast<float>(z[j * bt]) - zb;
      *y++ = quantised<T>((s.multiply ? u * v * factor : u * fa + v * fb) + zy, 0.0f, true);
    }
    // The next row: the last axis counts as one step.
    for (std::size_t i = last; i-- > 0;) {
      if (++p.at[i] < s.dims[i]) break;
      p.at[i] = 0;
    }
  }
}

// y = f(x) for the 256 values that x may have. s: count, sigmoid (else leaky), alpha.
template <class S, class T>
void qlinear_unary(S s, const T* x, const float* x_scale, const T* x_zero, const float* y_scale,
                   const T* y_zero, T* y) {
  static_assert(sizeof(T) == 1);
  const float zx = number_of(x_zero, 0), zy = number_of(y_zero, 0);
  T table[256];
  for (int i = 0; i < 256; ++i) {
    const float v = (static_cast<float>(static_cast<T>(i)) - zx) * *x_scale;
    const float f = s.sigmoid ? 1.0f / (1.0f + std::exp(-v)) : v < 0.0f ? v * s.alpha : v;
    table[i] = quantised<T>(f / *y_scale, zy, true);
  }
  for (Index i = 0; i < s.count; ++i) y[i] = table[static_cast<std::uint8_t>(x[i])];
}

}  // namespace onnxc

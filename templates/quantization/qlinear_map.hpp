// qlinear_map.hpp - sums, products and functions of quantised values, with quantised results.
#pragma once

#include <cmath>
#include <cstdint>

#include "runtime_min/simd.hpp"
#include "runtime_min/simd_int8.hpp"
#include "runtime_min/types.hpp"
#include "templates/convolution/window.hpp"
#include "templates/fn/quantize.hpp"
#include "templates/quantization/quantize.hpp"

namespace onnxc {

// Zero points and factors: products take `factor`, sums the two others.
struct QLinearTerms {
  float a_zero, b_zero, y_zero, a_factor, b_factor, factor;
  bool multiply;

  // As ONNX Runtime: rounds after the zero point is added, which matters for ties.
  template <class T, class V>
  [[gnu::always_inline]] V operator()(V a, V b) const {
    const V u = a - fn::real<V>(a_zero), v = b - fn::real<V>(b_zero);
    const V sum = multiply ? u * v * fn::real<V>(factor)
                           : u * fn::real<V>(a_factor) + v * fn::real<V>(b_factor);
    return fn::quantize(sum + fn::real<V>(y_zero), 1.0f, 1.0f, 0.0f, integer_range<T>::low,
                        integer_range<T>::high);
  }
};

// One row, with a step of 0 or 1 for each operand.
template <class T>
void qlinear_row(const QLinearTerms& terms, const T* a, bool a_moves, const T* b, bool b_moves,
                 Index count, T* y) {
  const float first = static_cast<float>(*a), second = static_cast<float>(*b);
  for_lanes(count, [&](Index j, auto lane) {
    using V = decltype(lane);
    const V u = a_moves ? load<V>(a + j) : fn::real<V>(first);
    const V v = b_moves ? load<V>(b + j) : fn::real<V>(second);
    store(y + j, terms.template operator()<T>(u, v));
  });
}

// a, b: read with strides along dims[R], of 0 or 1 along the last; y: [dims]. Zero points may be
// null. s: dims[R], a_step[R], b_step[R], multiply.
template <std::size_t R, class S, class T>
void qlinear_binary(S s, const T* a, const float* a_scale, const T* a_zero, const T* b,
                    const float* b_scale, const T* b_zero, const float* y_scale, const T* y_zero,
                    T* y) {
  const QLinearTerms terms = {number_of(a_zero, 0),
                              number_of(b_zero, 0),
                              number_of(y_zero, 0),
                              *a_scale / *y_scale,
                              *b_scale / *y_scale,
                              *a_scale * *b_scale / *y_scale,
                              s.multiply};
  constexpr std::size_t last = R - 1;
  const Index columns = s.dims[last];
  Index rows = columns > 0 ? box_size<R>(s.dims) / columns : 0;
  Position<R> p;
  for (; rows > 0; --rows, y += columns) {
    const T *x = a, *z = b;
    for (std::size_t i = 0; i < last; ++i) {
      x += p.at[i] * s.a_step[i];
      z += p.at[i] * s.b_step[i];
    }
    qlinear_row(terms, x, s.a_step[last] != 0, z, s.b_step[last] != 0, columns, y);
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

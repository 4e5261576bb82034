// quantize.hpp - between real numbers and quantised ones, and products of quantised matrices and
// images.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "runtime_min/half.hpp"
#include "runtime_min/int_small.hpp"
#include "runtime_min/minifloat.hpp"
#include "runtime_min/types.hpp"
#include "templates/conv_integer_nd.hpp"
#include "templates/window.hpp"

namespace onnxc {

template <class T>
struct integer_range {
  static constexpr float low = static_cast<float>(std::numeric_limits<T>::min());
  static constexpr float high = static_cast<float>(std::numeric_limits<T>::max());
};
template <int kBits, class Byte>
struct integer_range<small_int<kBits, Byte>> {
  static constexpr float low =
      std::is_signed_v<Byte> ? static_cast<float>(-(1 << (kBits - 1))) : 0.0f;
  static constexpr float high =
      static_cast<float>((1 << (std::is_signed_v<Byte> ? kBits - 1 : kBits)) - 1);
};

template <class T>
constexpr bool is_quantised_integer = std::is_integral_v<compute_t<T>>;

// x rounded half to even, plus the zero point, saturated; NaN gives the zero point's own bound. A
// float format is rounded as such, with or without saturation.
template <class T>
inline T quantised(float x, float zero, bool saturate) {
  if constexpr (is_quantised_integer<T>) {
    const float v = std::nearbyint(x) + zero;
    if (!(v > integer_range<T>::low)) return T(static_cast<int>(integer_range<T>::low));
    return T(static_cast<int>(v < integer_range<T>::high ? v : integer_range<T>::high));
  } else {
    return T::from(x + zero, saturate);
  }
}

template <class T>
inline float number_of(const T* p, Index at) {
  return p != nullptr ? static_cast<float>(static_cast<compute_t<T>>(p[at])) : 0.0f;
}

// x, y: [outer, count, inner]. scale and zero (or null) are read at outer * scale_outer + (position
// / block) * scale_axis + inner * scale_inner.  s: outer, count, inner, block, scale_outer,
// scale_axis, scale_inner, saturate.
template <class S, class X, class P, class Y>
void quantize_linear(S s, const X* x, const P* scale, const Y* zero, Y* y) {
  for (Index o = 0; o < s.outer; ++o) {
    for (Index i = 0; i < s.count; ++i) {
      const Index row = o * s.scale_outer + i / s.block * s.scale_axis;
      if (s.scale_inner == 0) {
        const float factor = number_of(scale, row), offset = number_of(zero, row);
        for (Index j = 0; j < s.inner; ++j, ++x, ++y)
          *y = quantised<Y>(static_cast<float>(static_cast<compute_t<X>>(*x)) / factor, offset,
                            s.saturate);
        continue;
      }
      for (Index j = 0; j < s.inner; ++j, ++x, ++y) {
        const Index at = row + j * s.scale_inner;
        const float v = static_cast<float>(static_cast<compute_t<X>>(*x)) / number_of(scale, at);
        *y = quantised<Y>(v, number_of(zero, at), s.saturate);
      }
    }
  }
}

// The difference of integers is exact; that of floats is a float.
template <class X>
inline float without_zero(const X* x, const X* zero, Index at) {
  if constexpr (is_quantised_integer<X>) {
    const std::int64_t z =
        zero != nullptr ? static_cast<std::int64_t>(static_cast<compute_t<X>>(zero[at])) : 0;
    return static_cast<float>(static_cast<std::int64_t>(static_cast<compute_t<X>>(*x)) - z);
  } else {
    return static_cast<float>(*x) - number_of(zero, at);
  }
}

// s: outer, count, inner, block, scale_outer, scale_axis, scale_inner.
template <class S, class X, class P, class Y>
void dequantize_linear(S s, const X* x, const P* scale, const X* zero, Y* y) {
  for (Index o = 0; o < s.outer; ++o) {
    for (Index i = 0; i < s.count; ++i) {
      const Index row = o * s.scale_outer + i / s.block * s.scale_axis;
      for (Index j = 0; j < s.inner; ++j, ++x, ++y) {
        const Index at = row + j * s.scale_inner;
        *y = static_cast<Y>(without_zero(x, zero, at) * number_of(scale, at));
      }
    }
  }
}

// Scale and zero point from the data's own range, which always holds zero.  s: count.
template <class S>
void dynamic_quantize_linear(S s, const float* x, std::uint8_t* y, float* scale,
                             std::uint8_t* zero) {
  float low = 0.0f, high = 0.0f;
  for (Index i = 0; i < s.count; ++i) {
    low = x[i] < low ? x[i] : low;
    high = x[i] > high ? x[i] : high;
  }
  const float range = high - low;
  const float step = range > 0.0f ? range / 255.0f : 1.0f;
  const std::uint8_t offset = quantised<std::uint8_t>(-low / step, 0.0f, true);
  for (Index i = 0; i < s.count; ++i)
    y[i] = quantised<std::uint8_t>(x[i] / step, static_cast<float>(offset), true);
  if (scale != nullptr) *scale = step;
  if (zero != nullptr) *zero = offset;
}

template <std::size_t R>
inline Index batch_offset(const Position<R>& p, const Index (&steps)[R]) {
  Index offset = 0;
  for (std::size_t i = 0; i < R; ++i) offset += p.at[i] * steps[i];
  return offset;
}

// Calls put(at, position in the batch, row, column, sum) for every element of the batched product
// of a and b without their zero points. Integer sums wrap in 32 bits; float formats are summed in
// float. Zero points are null, or read at batch, row or column times their steps.
// s: batch[R], a_batch[R], b_batch[R], m, k, n, a_row, a_column, b_row, b_column, a_zero_batch[R],
// b_zero_batch[R], a_zero_step, b_zero_step.
template <std::size_t R, class S, class X, class W, class Put>
void each_product(const S& s, const X* a, const X* a_zero, const W* b, const W* b_zero, Put put) {
  constexpr bool integers = is_quantised_integer<X> && is_quantised_integer<W>;
  using Term = std::conditional_t<integers, std::int32_t, float>;
  using Sum = std::conditional_t<integers, std::uint32_t, float>;
  const auto value = [](auto v) {
    return static_cast<Term>(static_cast<compute_t<decltype(v)>>(v));
  };
  Index batches = box_size<R>(s.batch), at = 0;
  Position<R> p;
  for (; batches > 0; --batches, p.next(s.batch)) {
    const X* ab = a + batch_offset<R>(p, s.a_batch);
    const W* bb = b + batch_offset<R>(p, s.b_batch);
    const Index az_at = batch_offset<R>(p, s.a_zero_batch);
    const Index bz_at = batch_offset<R>(p, s.b_zero_batch);
    for (Index i = 0; i < s.m; ++i) {
      const Term az = a_zero != nullptr ? value(a_zero[az_at + i * s.a_zero_step]) : Term{};
      for (Index j = 0; j < s.n; ++j, ++at) {
        const Term bz = b_zero != nullptr ? value(b_zero[bz_at + j * s.b_zero_step]) : Term{};
        Sum sum{};
        for (Index k = 0; k < s.k; ++k)
          sum += static_cast<Sum>((value(ab[i * s.a_row + k * s.a_column]) - az) *
                                  (value(bb[k * s.b_row + j * s.b_column]) - bz));
        put(at, p, i, j, static_cast<Term>(sum));
      }
    }
  }
}

template <std::size_t R, class S, class X, class W>
void matmul_integer(S s, const X* a, const W* b, const X* a_zero, const W* b_zero,
                    std::int32_t* y) {
  each_product<R>(
      s, a, a_zero, b, b_zero,
      [&](Index at, const Position<R>&, Index, Index, std::int32_t sum) { y[at] = sum; });
}

// s: as of each_product, a_scale_batch[R], b_scale_batch[R], a_scale_step, b_scale_step.
template <std::size_t R, class S, class X, class W, class Y, class P>
void qlinear_matmul(S s, const X* a, const P* a_scale, const X* a_zero, const W* b,
                    const P* b_scale, const W* b_zero, const P* y_scale, const Y* y_zero, Y* y) {
  const float out = number_of(y_scale, 0), zero = number_of(y_zero, 0);
  const auto put = [&](Index at, const Position<R>& p, Index i, Index j, auto sum) {
    const Index as = batch_offset<R>(p, s.a_scale_batch) + i * s.a_scale_step;
    const Index bs = batch_offset<R>(p, s.b_scale_batch) + j * s.b_scale_step;
    const float scale = number_of(a_scale, as) * number_of(b_scale, bs) / out;
    y[at] = quantised<Y>(static_cast<float>(sum) * scale, zero, true);
  };
  each_product<R>(s, a, a_zero, b, b_zero, put);
}

// s: as of conv_integer, w_scale_step.
template <std::size_t R, class S, class X, class W, class Y>
void qlinear_conv(S s, const X* x, const float* x_scale, const X* x_zero, const W* w,
                  const float* w_scale, const W* w_zero, const float* y_scale, const Y* y_zero,
                  const std::int32_t* bias, Y* y) {
  const float zero = number_of(y_zero, 0);
  conv_integer<R>(s, x, w, x_zero, w_zero, bias, y, [&](std::int32_t sum, Index m) {
    const float scale = *x_scale * w_scale[m * s.w_scale_step] / *y_scale;
    return quantised<Y>(static_cast<float>(sum) * scale, zero, true);
  });
}

}  // namespace onnxc

// quantize.hpp - between float32 and quantised values, and products of quantised matrices and
// images.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "runtime_min/half.hpp"
#include "runtime_min/int_small.hpp"
#include "runtime_min/minifloat.hpp"
#include "runtime_min/simd.hpp"
#include "runtime_min/simd_int8.hpp"
#include "runtime_min/types.hpp"
#include "templates/convolution/conv_integer_nd.hpp"
#include "templates/convolution/window.hpp"
#include "templates/fn/quantize.hpp"
#include "templates/matmul/integer_product.hpp"
#include "templates/quantization/widen_int8.hpp"

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

// x / scale, both as numbers of type T and rounded to one.
template <class T>
inline float quotient(float x, float scale) {
  if constexpr (std::is_same_v<T, float>) return x / scale;
  const float a = static_cast<float>(static_cast<T>(x)),
              b = static_cast<float>(static_cast<T>(scale));
  return static_cast<float>(static_cast<T>(a / b));
}

// T: the type of the quotients. x, y: [outer, count, inner]. scale and zero (or null) are read at
// outer * scale_outer + (position / block) * scale_axis + inner * scale_inner.  s: outer, count,
// inner, block, scale_outer, scale_axis, scale_inner, saturate.
template <class T = float, class S, class X, class P, class Y>
void quantize_linear(S s, const X* x, const P* scale, const Y* zero, Y* y) {
  for (Index o = 0; o < s.outer; ++o) {
    for (Index i = 0; i < s.count; ++i) {
      const Index row = o * s.scale_outer + i / s.block * s.scale_axis;
      if (s.scale_inner == 0) {
        const float factor = number_of(scale, row), offset = number_of(zero, row);
        for (Index j = 0; j < s.inner; ++j, ++x, ++y)
          *y = quantised<Y>(quotient<T>(static_cast<float>(static_cast<compute_t<X>>(*x)), factor),
                            offset, s.saturate);
        continue;
      }
      for (Index j = 0; j < s.inner; ++j, ++x, ++y) {
        const Index at = row + j * s.scale_inner;
        const float v =
            quotient<T>(static_cast<float>(static_cast<compute_t<X>>(*x)), number_of(scale, at));
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

// The smallest and the largest value, and zero. NaN does not count.
struct DataRange {
  float low, high;
};

inline DataRange data_range(const float* x, Index count) {
  const auto least = [](auto a, auto b) { return select(less_than(b, a), b, a); };
  const auto most = [](auto a, auto b) { return select(greater_than(b, a), b, a); };
  vfloat low{}, high{};
  DataRange rest = {0.0f, 0.0f};
  for_lanes(count, [&](Index i, auto lane) {
    const auto v = load<decltype(lane)>(x + i);
    if constexpr (std::is_same_v<decltype(lane), vfloat>) {
      low = least(low, v);
      high = most(high, v);
    } else {
      rest = {least(rest.low, v), most(rest.high, v)};
    }
  });
  return {least(reduce(low, least), rest.low), most(reduce(high, most), rest.high)};
}

// Scale and zero point from the data's own range, which always holds zero.  s: count.
template <class S>
void dynamic_quantize_linear(S s, const float* x, std::uint8_t* y, float* scale,
                             std::uint8_t* zero) {
  const DataRange data = data_range(x, s.count);
  const float range = data.high - data.low;
  const float step = range > 0.0f ? range / 255.0f : 1.0f;
  const std::uint8_t offset = quantised<std::uint8_t>(-data.low / step, 0.0f, true);
  const float first = static_cast<float>(offset);
  for_lanes(s.count, [&](Index i, auto lane) {
    store(y + i,
          fn::quantize(load<decltype(lane)>(x + i), 1.0f, step, first, -first, 255.0f - first));
  });
  if (scale != nullptr) *scale = step;
  if (zero != nullptr) *zero = offset;
}

template <std::size_t R>
inline Index batch_offset(const Position<R>& p, const Index (&steps)[R]) {
  Index offset = 0;
  for (std::size_t i = 0; i < R; ++i) offset += p.at[i] * steps[i];
  return offset;
}

// Pieces of a product of 8-bit integers that floats hold exactly: every sum of kProductDepth
// products, each below 2^16, is below 2^24.
constexpr Index kProductRows = 16, kProductDepth = 64;
constexpr int kProductColumns = 2 * kLanes;

// The `depth` x `columns` values at b, without their zero points, as floats in rows of
// kProductColumns, zero-padded.
template <class W>
void widen_columns(const W* b, Index row, Index column, Index depth, Index columns,
                   const float* zeros, float* out) {
  for (Index k = 0; k < depth; ++k, b += row, out += kProductColumns) {
    if (column == 1 && columns == kProductColumns) {
      for (Index v = 0; v < kProductColumns; v += kLanes)
        store(out + v, bytes_as_floats(b + v) - load(zeros + v));
      continue;
    }
    for (Index j = 0; j < kProductColumns; ++j)
      out[j] = j < columns ? static_cast<float>(b[j * column]) - zeros[j] : 0.0f;
  }
}

// sums: [kRows, kProductColumns], to which the products of a: [kRows, kProductDepth] and b: [depth,
// kProductColumns] are added.
template <int kRows>
void add_products(const float* a, const float* b, Index depth, std::int32_t* sums) {
  constexpr std::size_t rows = kRows;
  vfloat total[rows][2] = {};
  for (Index k = 0; k < depth; ++k, ++a, b += kProductColumns) {
    const vfloat left = load(b), right = load(b + kLanes);
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
      total[r][0] += a[r * kProductDepth] * left;
      total[r][1] += a[r * kProductDepth] * right;
    }
  }
  for (int r = 0; r < kRows; ++r)
    for (int v = 0; v < 2; ++v, sums += kLanes) add_as_integers(total[r][v], sums);
}

// The same where rows are dense and at least as wide as a block: the last block ends with the last
// column.
template <class S, class X, class W, class Put>
void dense_integer_product(const S& s, const X* a, const X* a_zero, const W* b, const W* b_zero,
                           Put put) {
  const auto row_zero = [&](Index i) -> std::int32_t {
    return a_zero != nullptr ? a_zero[i * s.a_zero_step] : 0;
  };
  const auto column_zero = [&](Index j) -> std::int32_t {
    return b_zero != nullptr ? b_zero[j * s.b_zero_step] : 0;
  };
  for (Index j = 0; j < s.n; j += kIntegerColumns) {
    const Index first = j + kIntegerColumns <= s.n ? j : s.n - kIntegerColumns;
    integer_block(s, a, b, first, row_zero, column_zero, put);
  }
}

// One matrix of each_product for 8-bit integers; put(row, column, sum), or the sums of a vector of
// columns.
template <class S, class X, class W, class Put>
void integer_product(const S& s, const X* a, const X* a_zero, const W* b, const W* b_zero,
                     Put put) {
  if (s.a_column == 1 && s.b_column == 1 && s.n >= kIntegerColumns)
    return dense_integer_product(s, a, a_zero, b, b_zero, put);
  float rows[kProductRows * kProductDepth], columns[kProductDepth * kProductColumns];
  float zeros[kProductColumns];
  std::int32_t sums[kProductRows * kProductColumns];
  for (Index j0 = 0; j0 < s.n; j0 += kProductColumns) {
    const Index width = s.n - j0 < kProductColumns ? s.n - j0 : kProductColumns;
    for (Index j = 0; j < kProductColumns; ++j)
      zeros[j] = b_zero != nullptr && j < width
                     ? static_cast<float>(b_zero[(j0 + j) * s.b_zero_step])
                     : 0.0f;
    for (Index i0 = 0; i0 < s.m; i0 += kProductRows) {
      const Index height = s.m - i0 < kProductRows ? s.m - i0 : kProductRows;
      for (std::int32_t& sum : sums) sum = 0;
      for (Index k0 = 0; k0 < s.k; k0 += kProductDepth) {
        const Index depth = s.k - k0 < kProductDepth ? s.k - k0 : kProductDepth;
        widen_columns(b + k0 * s.b_row + j0 * s.b_column, s.b_row, s.b_column, depth, width, zeros,
                      columns);
        const Index filled = height == 1 ? 1 : (height + 3) / 4 * 4;
        for (Index i = 0; i < filled; ++i) {
          const X* from = a + (i0 + (i < height ? i : 0)) * s.a_row + k0 * s.a_column;
          const float zero = a_zero != nullptr && i < height
                                 ? static_cast<float>(a_zero[(i0 + i) * s.a_zero_step])
                                 : 0.0f;
          for (Index k = 0; k < depth; ++k)
            rows[i * kProductDepth + k] =
                i < height ? static_cast<float>(from[k * s.a_column]) - zero : 0.0f;
        }
        if (height == 1) {
          add_products<1>(rows, columns, depth, sums);
          continue;
        }
        for (Index i = 0; i < height; i += 4)
          add_products<4>(rows + i * kProductDepth, columns, depth, sums + i * kProductColumns);
      }
      for (Index i = 0; i < height; ++i)
        for (Index j = 0; j < width; ++j) put(i0 + i, j0 + j, sums[i * kProductColumns + j]);
    }
  }
}

// Calls put(at, position in the batch, row, column, sum) for every element of the batched product
// of a and b without their zero points, or for a vector of columns at a time with vwords of sums.
// Integer sums wrap in 32 bits; float formats are summed in
// float. Zero points are null, or read at batch, row or column times their strides.
// s: batch[R], a_batch[R], b_batch[R], m, k, n, a_row, a_column, b_row, b_column, a_zero_batch[R],
// b_zero_batch[R], a_zero_step, b_zero_step.
template <std::size_t R, class S, class X, class W, class Put>
void each_product(const S& s, const X* a, const X* a_zero, const W* b, const W* b_zero, Put put) {
  const auto value = [](auto v) { return static_cast<float>(v); };
  Index batches = box_size<R>(s.batch), at = 0;
  Position<R> p;
  for (; batches > 0; --batches, p.next(s.batch)) {
    const X* ab = a + batch_offset<R>(p, s.a_batch);
    const W* bb = b + batch_offset<R>(p, s.b_batch);
    const Index az_at = batch_offset<R>(p, s.a_zero_batch);
    const Index bz_at = batch_offset<R>(p, s.b_zero_batch);
    if constexpr (is_quantised_integer<X> && is_quantised_integer<W>) {
      integer_product(s, ab, a_zero != nullptr ? a_zero + az_at : nullptr, bb,
                      b_zero != nullptr ? b_zero + bz_at : nullptr,
                      [&](Index i, Index j, auto sum) { put(at + i * s.n + j, p, i, j, sum); });
      at += s.m * s.n;
    } else {
      for (Index i = 0; i < s.m; ++i) {
        const float az = a_zero != nullptr ? value(a_zero[az_at + i * s.a_zero_step]) : 0.0f;
        for (Index j = 0; j < s.n; ++j, ++at) {
          const float bz = b_zero != nullptr ? value(b_zero[bz_at + j * s.b_zero_step]) : 0.0f;
          float sum = 0.0f;
          for (Index k = 0; k < s.k; ++k)
            sum += (value(ab[i * s.a_row + k * s.a_column]) - az) *
                   (value(bb[k * s.b_row + j * s.b_column]) - bz);
          put(at, p, i, j, sum);
        }
      }
    }
  }
}

template <std::size_t R, class S, class X, class W>
void matmul_integer(S s, const X* a, const W* b, const X* a_zero, const W* b_zero,
                    std::int32_t* y) {
  each_product<R>(
      s, a, a_zero, b, b_zero,
      [&](Index at, const Position<R>&, Index, Index, auto sum) { store_words(y + at, sum); });
}

// Quantises a vector of sums, or one, as `quantised` does. scales: of each, or of all of them.
template <class Sum, class Y>
[[gnu::always_inline]] inline void quantise_sums(Sum sums, const float* scales, bool one_scale,
                                                 float zero, Y* y) {
  if constexpr (std::is_same_v<Sum, vwords> && kLanes > 1 && is_quantised_integer<Y>) {
    const vfloat factors = one_scale ? broadcast<vfloat>(*scales) : load(scales);
    store(y, fn::quantize(sums_as_floats<vfloat>(sums) * factors, 1.0f, 1.0f, zero,
                          integer_range<Y>::low - zero, integer_range<Y>::high - zero));
  } else if constexpr (std::is_same_v<Sum, vwords>) {
    std::int32_t each[kLanes];
    store_words(each, sums);
    for (int j = 0; j < kLanes; ++j)
      y[j] = quantised<Y>(static_cast<float>(each[j]) * scales[one_scale ? 0 : j], zero, true);
  } else {
    y[0] = quantised<Y>(static_cast<float>(sums) * scales[0], zero, true);
  }
}

// s: as for each_product, a_scale_batch[R], b_scale_batch[R], a_scale_step, b_scale_step.
template <std::size_t R, class S, class X, class W, class Y, class P>
void qlinear_matmul(S s, const X* a, const P* a_scale, const X* a_zero, const W* b,
                    const P* b_scale, const W* b_zero, const P* y_scale, const Y* y_zero, Y* y) {
  const float out = number_of(y_scale, 0), zero = number_of(y_zero, 0);
  bool one_scale = s.a_scale_step == 0 && s.b_scale_step == 0;
  for (std::size_t i = 0; i < R; ++i)
    one_scale = one_scale && s.a_scale_batch[i] == 0 && s.b_scale_batch[i] == 0;
  // Stores might alias scales: otherwise they would be divided for each vector.
  const float of_all = number_of(a_scale, 0) * number_of(b_scale, 0) / out;
  const auto put = [&](Index at, const Position<R>& p, Index i, Index j, auto sum) {
    const Index as = batch_offset<R>(p, s.a_scale_batch) + i * s.a_scale_step;
    const Index bs = batch_offset<R>(p, s.b_scale_batch) + j * s.b_scale_step;
    if (one_scale) return quantise_sums(sum, &of_all, true, zero, y + at);
    constexpr std::size_t columns = std::is_same_v<decltype(sum), vwords> ? kLanes : 1;
    float scales[columns];
    for (std::size_t q = 0; q < columns; ++q)
      scales[q] = number_of(a_scale, as) *
                  number_of(b_scale, bs + static_cast<Index>(q) * s.b_scale_step) / out;
    quantise_sums(sum, scales, false, zero, y + at);
  };
  each_product<R>(s, a, a_zero, b, b_zero, put);
}

// Integers that stand for (data - zero) * scale.
template <class T>
struct QuantizedOperand {
  const T* data;
  const float* scale;
  const T* zero;
};
template <class T>
QuantizedOperand(const T*, const float*, const T*) -> QuantizedOperand<T>;

// s: as for conv_integer, w_scale_step.
template <std::size_t R, class S, class X, class W, class Y>
void qlinear_conv(S s, QuantizedOperand<X> x, QuantizedOperand<W> w, const float* y_scale,
                  const Y* y_zero, const std::int32_t* bias, Y* y) {
  const float zero = number_of(y_zero, 0);
  conv_integer<R>(s, x.data, w.data, x.zero, w.zero, bias, y, [&](std::int32_t sum, Index m) {
    const float scale = *x.scale * w.scale[m * s.w_scale_step] / *y_scale;
    return quantised<Y>(static_cast<float>(sum) * scale, zero, true);
  });
}

}  // namespace onnxc

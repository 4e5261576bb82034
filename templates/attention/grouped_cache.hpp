// grouped_cache.hpp - caches of keys and values with a length of its own for every sequence, of
// floats or of integers of 8 or 4 bits.
#pragma once

#include <cstdint>

#include "runtime_min/chunk.hpp"
#include "runtime_min/half.hpp"
#include "runtime_min/types.hpp"
#include "templates/attention/grouped_tokens.hpp"
#include "templates/fn/quantize.hpp"

namespace onnxc {

// Elements that hold a row of `width` numbers of kBits; kBits is 0 for floats.
template <int kBits>
constexpr Index stored_width(Index width) {
  return kBits == 4 ? (width + 1) / 2 : width;
}

// Scales of a head's columns, `step` apart.
struct ColumnScales {
  const float* scale;
  Index step;
  float operator[](Index j) const { return scale[j * step]; }
};

// A row of floats as integers, ties to even; two of 4 bits in a byte, the lower first, are 8
// larger.
template <int kBits, class C>
void quantize_row(const float* x, Index width, ColumnScales scales, C* y) {
  const float zero = kBits == 4 ? 8.0f : 0.0f, most = kBits == 4 ? 7.0f : 127.0f;
  const auto number = [&](Index j) {
    return static_cast<std::int32_t>(
        fn::quantize(x[j], 1.0f / scales[j], 1.0f, zero, -most - 1.0f, most));
  };
  if constexpr (kBits == 4) {
    for (Index j = 0; j < width; j += 2)
      y[j / 2] = static_cast<C>(number(j) | (j + 1 < width ? number(j + 1) : 8) << 4);
  } else {
    for (Index j = 0; j < width; ++j) y[j] = static_cast<C>(number(j));
  }
}

template <int kBits, class C>
void dequantize_row(const C* x, Index width, ColumnScales scales, float* y) {
  if constexpr (kBits == 4) {
    for (Index j = 0; j < width; ++j) {
      const int number = (x[j / 2] >> (j % 2 * 4)) & 15;
      y[j] = static_cast<float>(number - 8) * scales[j];
    }
  } else {
    for (Index j = 0; j < width; ++j) y[j] = static_cast<float>(x[j]) * scales[j];
  }
}

// Row `row` of a cache of floats; or of one of integers, dequantised into `numbers`.
template <int kBits, class C>
const auto* cache_row(const C* cache, Index row, Index width, ColumnScales scales, float* numbers) {
  if constexpr (kBits == 0) {
    static_cast<void>(scales);
    static_cast<void>(numbers);
    return cache + row * width;
  } else {
    dequantize_row<kBits>(cache + row * stored_width<kBits>(width), width, scales, numbers);
    return static_cast<const float*>(numbers);
  }
}

// The new rows of head h of sequence b, rotated if there are angles. Arguments as for
// grouped_cache.
template <int kBits, class S, class T, class C>
Status append_rows(const S& s, const T* x, GroupedTokens<T> tokens, Index b, Index h, Index before,
                   ColumnScales scales, C* out, float* numbers) {
  const bool first_run = static_cast<Index>(*tokens.total) == s.length;
  const Index half = s.rotated / 2;
  for (Index i = 0; i < s.length; ++i, out += stored_width<kBits>(s.width)) {
    const T* from = x + s.x_at + b * s.batch_stride + i * s.position_stride + h * s.width;
    const Index row = half > 0 ? angle_row(s, tokens.ids, before, first_run, b, i) : 0;
    if (row < 0) return Status::bad_index;
    const T *cosines = tokens.cosines + row * half, *sines = tokens.sines + row * half;
    if constexpr (kBits == 0) {
      static_cast<void>(scales);
      static_cast<void>(numbers);
      rotate_head(from, cosines, sines, s.width, s.rotated, s.interleaved, out);
    } else {
      rotate_head(from, cosines, sines, s.width, s.rotated, s.interleaved, numbers);
      quantize_row<kBits>(numbers, s.width, scales, out);
    }
  }
  return Status::ok;
}

// The cache after this call, y: [batch, heads, capacity, stored_width]: what past: [batch, heads,
// past, stored_width] holds, then x, rotated if there are angles, then zeros. x starts x_at
// elements on, has batch_stride and position_stride, its heads lie `width` apart. past may be y
// where it is as long; then what follows the new rows is kept. With kBits the numbers are quantised
// by scales, scale_head and scale_column apart. numbers: [width] scratch. s: batch, heads, length,
// past, capacity, cache_window, width, x_at, batch_stride, position_stride, rotated, positions,
// interleaved, scale_head, scale_column. Divisible.
template <int kBits, class S, class T, class C>
Status grouped_cache(S s, const T* x, const C* past, GroupedTokens<T> tokens, const float* scales,
                     C* y, float* numbers) {
  const Index row = stored_width<kBits>(s.width);
  const Span own = chunk_range(s, s.batch * s.heads);
  for (Index n = own.begin; n < own.end; ++n) {
    const Index b = n / s.heads, h = n % s.heads;
    const GroupedPlace place = grouped_place(s, tokens.last_key, tokens.total, b);
    if (!place.fits()) return Status::bad_value;
    C* out = y + n * s.capacity * row;
    const C* old = past + n * s.past * row;
    if (out != old)
      for (Index j = 0; j < place.rows * row; ++j) out[j] = old[j];
    const ColumnScales head = {kBits > 0 ? scales + h * s.scale_head : nullptr, s.scale_column};
    const Status status =
        append_rows<kBits>(s, x, tokens, b, h, place.before, head, out + place.rows * row, numbers);
    if (status != Status::ok) return status;
    if (out != old)
      for (Index j = (place.rows + s.length) * row; j < s.capacity * row; ++j) out[j] = C{};
  }
  return Status::ok;
}

// The rows that a cache with a window keeps, y: [batch, heads, past, width], then zeros. x: [batch,
// heads, capacity, width], all rows of this run. s: batch, heads, length, past, capacity,
// cache_window, width. Divisible.
template <class S, class C>
Status grouped_evict(S s, const C* x, const std::int32_t* last_key, const std::int32_t* total,
                     C* y) {
  const Span own = chunk_range(s, s.batch * s.heads);
  for (Index n = own.begin; n < own.end; ++n) {
    const GroupedPlace place = grouped_place(s, last_key, total, n / s.heads);
    if (!place.fits()) return Status::bad_value;
    const Index kept = kept_rows(s, place.before + place.fresh);
    const C* from = x + (n * s.capacity + place.keys() - kept) * s.width;
    C* out = y + n * s.past * s.width;
    for (Index j = 0; j < kept * s.width; ++j) out[j] = from[j];
    for (Index j = kept * s.width; j < s.past * s.width; ++j) out[j] = C{};
  }
  return Status::ok;
}

}  // namespace onnxc

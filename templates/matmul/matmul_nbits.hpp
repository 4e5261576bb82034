// matmul_nbits.hpp - product with weights of 2, 4 or 8 bits, in blocks that share a scale and a
// zero point. The weights stay packed: a few columns at a time become floats.
#pragma once

#include <cstdint>
#include <type_traits>

#include "runtime_min/half.hpp"
#include "runtime_min/simd.hpp"
#include "runtime_min/types.hpp"
#include "templates/matmul/matmul_tile.hpp"
#include "templates/quantization/widen_int8.hpp"

namespace onnxc {

// Element i of kBits-bit integers, packed from the low bits on.
template <int kBits>
inline int packed_number(const std::uint8_t* p, Index i) {
  constexpr Index per_byte = 8 / kBits;
  constexpr unsigned mask = (1u << kBits) - 1u;
  const unsigned shift = static_cast<unsigned>(i % per_byte) * static_cast<unsigned>(kBits);
  return static_cast<int>((static_cast<unsigned>(p[i / per_byte]) >> shift) & mask);
}

// The zero point of block `block` of column `column`: packed, one value each, or the middle.
template <int kBits, class Z>
inline float nbits_zero(const Z* zeros, Index column, Index block, Index blocks) {
  if (zeros == nullptr) return static_cast<float>(1 << (kBits - 1));
  if constexpr (sizeof(Z) == 1) {
    constexpr Index per_byte = 8 / kBits;
    return static_cast<float>(
        packed_number<kBits>(zeros + column * ((blocks + per_byte - 1) / per_byte), block));
  } else {
    return static_cast<float>(zeros[column * blocks + block]);
  }
}

// One column as floats.
template <int kBits, class S, class T, class Z>
void unpack_column(const S& s, const std::uint8_t* w, const T* scales, const Z* zeros, Index column,
                   float* out) {
  constexpr Index per_byte = 8 / kBits;
  constexpr std::size_t count = 1u << kBits;
  const Index blocks = (s.k + s.block - 1) / s.block;
  const std::uint8_t* p = w + column * blocks * (s.block / per_byte);
  for (Index b = 0; b < blocks; ++b, p += s.block / per_byte) {
    const float scale = static_cast<float>(scales[column * blocks + b]);
    const float zero = nbits_zero<kBits>(zeros, column, b, blocks);
    const Index first = b * s.block, size = s.k - first < s.block ? s.k - first : s.block;
    if constexpr (kBits == 4) {
      float value[count];
      for (std::size_t i = 0; i < count; ++i) value[i] = (static_cast<float>(i) - zero) * scale;
      Index i = 0;
      for (; i + 2 <= size; i += 2) {
        const unsigned byte = p[i / 2];
        out[first + i] = value[byte & 15u];
        out[first + i + 1] = value[byte >> 4];
      }
      if (i < size) out[first + i] = value[p[i / 2] & 15u];
    } else {
      for (Index i = 0; i < size; ++i)
        out[first + i] = (static_cast<float>(packed_number<kBits>(p, i)) - zero) * scale;
    }
  }
}

// The bytes at p as floats of their parts: f(part, vector) for each of the 8 / kBits values that a
// byte holds.
template <int kBits, class V, class F>
[[gnu::always_inline]] inline void each_part(const std::uint8_t* p, F f) {
  constexpr unsigned mask = (1u << kBits) - 1u;
  if constexpr (lanes<V> == 1) {
    for (unsigned u = 0; u < 8 / kBits; ++u)
      f(static_cast<Index>(u), static_cast<float>((*p >> (u * kBits)) & mask));
  } else {
    const bits_t<V> wide = same_bits<bits_t<V>>(widen_int8(p));
    for (unsigned u = 0; u < 8 / kBits; ++u)
      f(static_cast<Index>(u), convert_lanes<V>(same_bits<vint32>((wide >> (u * kBits)) & mask)));
  }
}

// One row of x times column j, whose bytes begin at w. parts: the row, values at the same position
// in their bytes together and zeros after them, then the sum of every block. s: k, block.
template <int kBits, class S, class T, class Z>
[[gnu::always_inline]] inline float nbits_column(const S& s, const float* parts,
                                                 const std::uint8_t* w, const T* scales,
                                                 const Z* zeros, Index j) {
  constexpr Index per_byte = 8 / kBits;
  const Index blocks = (s.k + s.block - 1) / s.block, bytes = s.block / per_byte;
  const Index stride = blocks * bytes;
  const float* sums = parts + stride * per_byte;
  vfloat total{};
  float rest = 0.0f;
  for (Index b = 0; b < blocks; ++b, w += bytes) {
    const float* x = parts + b * bytes;
    const float scale = static_cast<float>(scales[j * blocks + b]);
    vfloat products{};
    float tail = 0.0f;
    const Index whole = bytes / kLanes * kLanes;
    for (Index i = 0; i < whole; i += kLanes)
      each_part<kBits, vfloat>(
          w + i, [&](Index part, vfloat v) { products += v * load(x + part * stride + i); });
    for (Index i = whole; i < bytes; ++i)
      each_part<kBits, float>(w + i,
                              [&](Index part, float v) { tail += v * x[part * stride + i]; });
    total += products * scale;
    rest += (tail - nbits_zero<kBits>(zeros, j, b, blocks) * sums[b]) * scale;
  }
  return horizontal_sum(total) + rest;
}

// One row of x times all columns. parts: as for nbits_column.
template <int kBits, class S, class T, class Z>
void nbits_row(const S& s, const float* parts, const std::uint8_t* w, const T* scales,
               const Z* zeros, const T* bias, T* y) {
  const Index bytes = (s.k + s.block - 1) / s.block * (s.block * kBits / 8);
  for (Index j = 0; j < s.n; ++j) {
    const float sum = nbits_column<kBits>(s, parts, w + j * bytes, scales, zeros, j);
    y[j] = static_cast<T>(bias != nullptr ? sum + static_cast<float>(bias[j]) : sum);
  }
}

// Prepares a row for nbits_row. s: k, block.
template <int kBits, class S, class T>
void split_row(const S& s, const T* x, float* parts) {
  constexpr Index per_byte = 8 / kBits;
  const Index blocks = (s.k + s.block - 1) / s.block, stride = blocks * (s.block / per_byte);
  float* sums = parts + stride * per_byte;
  for (Index b = 0; b < blocks; ++b) sums[b] = 0.0f;
  for (Index i = 0; i < stride * per_byte; ++i) {
    const float v = i < s.k ? static_cast<float>(x[i]) : 0.0f;
    parts[i % per_byte * stride + i / per_byte] = v;
    sums[i / s.block] += v;
  }
}

// Products of kRows rows, `step` apart, with `count` columns as floats, also `step` apart; count is
// at most 4. sums: [kRows, 4].
template <int kRows, class T>
void dot_columns(const T* x, const float* columns, Index step, Index count, float* sums) {
  for (Index u = 0; u < 4 * kRows; ++u) sums[u] = 0.0f;
  Index i = 0;
  if constexpr (std::is_same_v<T, float>) {
    constexpr std::size_t rows = kRows;
    vfloat total[rows][4] = {};
    if (count == 4)
      for (; i + kLanes <= step; i += kLanes) {
        vfloat v[rows];
        for (int r = 0; r < kRows; ++r) v[r] = load(x + r * step + i);
#pragma GCC unroll 4
        for (int u = 0; u < 4; ++u) {
          const vfloat column = load(columns + u * step + i);
          for (int r = 0; r < kRows; ++r) total[r][u] += v[r] * column;
        }
      }
    for (int r = 0; r < kRows; ++r)
      for (int u = 0; u < 4; ++u) sums[4 * r + u] = horizontal_sum(total[r][u]);
  }
  for (; i < step; ++i)
    for (int r = 0; r < kRows; ++r)
      for (Index u = 0; u < count; ++u)
        sums[4 * r + u] += static_cast<float>(x[r * step + i]) * columns[u * step + i];
}

// Rows i to i + kRows of the columns j to j + count.
template <int kRows, class S, class T>
void nbits_block(const S& s, const T* x, const float* columns, Index i, Index j, Index count,
                 const T* bias, T* y) {
  constexpr std::size_t size = 4 * kRows;
  float sums[size];
  dot_columns<kRows>(x + i * s.k, columns, s.k, count, sums);
  for (int r = 0; r < kRows; ++r)
    for (Index u = 0; u < count; ++u) {
      const float shift = bias != nullptr ? static_cast<float>(bias[j + u]) : 0.0f;
      y[(i + r) * s.n + j + u] = static_cast<T>(sums[4 * r + u] + shift);
    }
}

// Arguments as for matmul_nbits.
template <int kBits, class S, class T, class Z>
void nbits_products(const S& s, const T* x, const std::uint8_t* w, const T* scales, const Z* zeros,
                    const T* bias, T* y, float* scratch) {
  if (s.m < 4) {
    for (Index i = 0; i < s.m; ++i) {
      split_row<kBits>(s, x + i * s.k, scratch);
      nbits_row<kBits>(s, scratch, w, scales, zeros, bias, y + i * s.n);
    }
    return;
  }
  for (Index j = 0; j < s.n; j += 4) {
    const Index count = s.n - j < 4 ? s.n - j : 4;
    for (Index u = 0; u < count; ++u)
      unpack_column<kBits>(s, w, scales, zeros, j + u, scratch + u * s.k);
    Index i = 0;
    constexpr int rows = kVectorRegisters >= 32 ? 4 : 2;
    for (; i + rows <= s.m; i += rows) nbits_block<rows>(s, x, scratch, i, j, count, bias, y);
    for (; i < s.m; ++i) nbits_block<1>(s, x, scratch, i, j, count, bias, y);
  }
}

// x: [m, k], w: [n, blocks, bytes of a block], scales: [n, blocks], zeros: null, [n, blocks], or
// packed like w with every column on a byte of its own; bias: [n] or null; y: [m, n]. Scratch: the
// larger of 4 * k and blocks * (block + 1) floats. s: m, k, n, block.
template <int kBits, class S, class T, class Z, class Epilogue = NoEpilogue>
void matmul_nbits(S s, const T* x, const std::uint8_t* w, const T* scales, const Z* zeros,
                  const T* bias, T* y, float* scratch, Epilogue epilogue = {}) {
  nbits_products<kBits>(s, x, w, scales, zeros, bias, y, scratch);
  if constexpr (has_epilogue<Epilogue>)
    for (Index i = 0; i < s.m; ++i) epilogue_row(y + i * s.n, i * s.n, 0, s.n, epilogue);
}

}  // namespace onnxc

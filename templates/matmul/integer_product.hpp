// integer_product.hpp - products of matrices of 8-bit integers both known only at run time.
//
// Four rows of the right matrix are joined into words, once for all left rows where the depth is
// that of most products, and multiplied with words of as many left rows as registers hold; any
// sizes and zero points do.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "runtime_min/simd.hpp"
#include "runtime_min/simd_int8.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

// Left rows and vectors of columns of one tile.
constexpr int kIntegerRows = kLanes == 1 ? 1 : kVectorRegisters >= 32 ? 12 : 4;
constexpr int kIntegerVectors = kVectorRegisters >= 32 && kLanes > 1 ? 2 : 1;
constexpr int kIntegerColumns = kIntegerVectors * kLanes;

// Products take unsigned integers on the left and signed ones on the right: others are shifted by
// 128.
template <class T, bool UNSIGNED>
constexpr std::uint32_t byte_flip = std::is_signed_v<T> == UNSIGNED ? 0x80808080u : 0u;

// The words of a block of columns: joined where they are read.
template <class B>
struct JoinedColumns {
  const B* b;
  Index row;

  // The vector j of rows k and, as far as there are as many, the next three.
  [[gnu::always_inline]] vwords word(Index k, int j, Index count) const {
    const std::uint32_t used = count == 4 ? ~0u : (1u << (8 * count)) - 1u;
    const auto* const from = reinterpret_cast<const std::uint8_t*>(b + k * row) + j * kLanes;
    return join_rows<vwords>(from, row, count) ^ (byte_flip<B, false> & used);
  }
};

// The same, joined before. Deeper blocks would take much of the stack and of the nearest cache.
constexpr Index kPackedWords = 128;
struct PackedColumns {
  vwords words[kPackedWords][kIntegerVectors];

  [[gnu::always_inline]] vwords word(Index k, int j, Index) const { return words[k / 4][j]; }
};

// Rows of the word that begins with row k.
constexpr Index rows_of_word(Index depth, Index k) { return depth - k < 4 ? depth - k : 4; }

template <class B>
[[gnu::noinline]] void pack_integer_columns(const JoinedColumns<B>& from, Index depth,
                                            PackedColumns& to) {
  for (Index k = 0; k < depth; k += 4)
    for (int j = 0; j < kIntegerVectors; ++j)
      to.words[k / 4][j] = from.word(k, j, rows_of_word(depth, k));
}

// Sums of a: [ROWS, depth] times the columns of a block.
template <int ROWS, class A, class Columns>
[[gnu::noinline]] void integer_tile(const A* a, Index a_row, const Columns& columns, Index depth,
                                    vwords (*sums)[kIntegerVectors]) {
  constexpr std::size_t rows = ROWS, vectors = kIntegerVectors;
  const auto* const left = reinterpret_cast<const std::uint8_t*>(a);
  vwords total[rows][vectors] = {};
  const auto step = [&](Index k, Index count) {
    vwords w[vectors];
#pragma GCC unroll 2
    for (int j = 0; j < kIntegerVectors; ++j) w[j] = columns.word(k, j, count);
#pragma GCC unroll 12
    for (int i = 0; i < ROWS; ++i) {
      std::uint32_t word = 0;
      std::memcpy(&word, left + i * a_row + k, static_cast<std::size_t>(count));
      const vwords x = vwords{} + (first_byte_lowest(word) ^ byte_flip<A, true>);
#pragma GCC unroll 2
      for (int j = 0; j < kIntegerVectors; ++j) total[i][j] = dot_int8(total[i][j], x, w[j]);
    }
  };
  Index k = 0;
  for (Index fours = depth / 4; fours > 0; --fours, k += 4) step(k, 4);
  if (depth - k == 1) step(k, 1);
  if (depth - k == 2) step(k, 2);
  if (depth - k == 3) step(k, 3);
  std::memcpy(sums, total, sizeof total);
}

// The sum of one left row as integer_tile reads it.
template <class A>
std::int32_t integer_row_sum(const A* a, Index depth) {
  std::int32_t sum = 0;
  for (Index k = 0; k < depth; ++k)
    sum +=
        static_cast<std::uint8_t>(static_cast<std::uint8_t>(a[k]) ^ (byte_flip<A, true> & 0xffu));
  return sum;
}

// Correction of the zero points for operands whose values were shifted.
template <class T, bool UNSIGNED>
constexpr std::int32_t byte_offset = byte_flip<T, UNSIGNED> == 0 ? 0
                                     : UNSIGNED                  ? 128
                                                                 : -128;

// What the zero points of a block of columns take: those points, whether any is not 0, and the sums
// of the columns.
struct ColumnZeros {
  vwords zeros[kIntegerVectors], sums[kIntegerVectors];
  bool any;
};

template <class B, class Columns, class ColumnZero>
ColumnZeros column_zeros(const Columns& columns, Index depth, Index first, ColumnZero column_zero) {
  ColumnZeros c = {};
  std::int32_t zeros[kIntegerColumns];
  for (Index j = 0; j < kIntegerColumns; ++j) {
    zeros[j] = column_zero(first + j) + byte_offset<B, false>;
    c.any = c.any || zeros[j] != 0;
  }
  std::memcpy(c.zeros, zeros, sizeof zeros);
  for (Index k = 0; k < depth; k += 4)
    for (int j = 0; j < kIntegerVectors; ++j)
      c.sums[j] =
          dot_int8(c.sums[j], vwords{} + 0x01010101u, columns.word(k, j, rows_of_word(depth, k)));
  return c;
}

// put(row, column, sums) for the rows of one tile, a vector of columns at a time.
template <int ROWS, class S, class A, class Columns, class RowZero, class Put>
void integer_rows(const S& s, const A* a, const Columns& columns, const ColumnZeros& zeros,
                  Index row, Index column, RowZero row_zero, Put put) {
  constexpr std::size_t rows = ROWS;
  vwords sums[rows][kIntegerVectors];
  integer_tile<ROWS>(a + row * s.a_row, s.a_row, columns, s.k, sums);
  for (Index i = 0; i < ROWS; ++i) {
    const auto za = static_cast<std::uint32_t>(row_zero(row + i) + byte_offset<A, true>);
    std::uint32_t rest = 0;
    if (zeros.any) {
      const std::int32_t row_sum = integer_row_sum(a + (row + i) * s.a_row, s.k);
      rest = static_cast<std::uint32_t>(row_sum) - static_cast<std::uint32_t>(s.k) * za;
    }
    for (int j = 0; j < kIntegerVectors; ++j) {
      vwords sum = sums[i][j];
      if (za != 0) sum -= za * zeros.sums[j];
      if (zeros.any) sum -= rest * zeros.zeros[j];
      put(row + i, column + j * kLanes, sum);
    }
  }
}

// All rows for the block of columns that begins with `column`.
template <class B, class S, class A, class Columns, class RowZero, class ColumnZero, class Put>
void integer_columns(const S& s, const A* a, const Columns& columns, Index column, RowZero row_zero,
                     ColumnZero column_zero, Put put) {
  const ColumnZeros zeros = column_zeros<B>(columns, s.k, column, column_zero);
  Index row = 0;
  if constexpr (kIntegerRows > 4) {
    for (; row + kIntegerRows <= s.m; row += kIntegerRows)
      integer_rows<kIntegerRows>(s, a, columns, zeros, row, column, row_zero, put);
  }
  if constexpr (kIntegerRows >= 4) {
    for (; row + 4 <= s.m; row += 4)
      integer_rows<4>(s, a, columns, zeros, row, column, row_zero, put);
  }
  // Not up to s.m: GCC 12 warns of a loop without end where it never runs.
  for (Index left = s.m - row; left > 0; --left, ++row)
    integer_rows<1>(s, a, columns, zeros, row, column, row_zero, put);
}

// The same, with the columns joined first where all rows read them so.
template <class S, class A, class B, class RowZero, class ColumnZero, class Put>
void integer_block(const S& s, const A* a, const B* b, Index column, RowZero row_zero,
                   ColumnZero column_zero, Put put) {
  const JoinedColumns<B> joined = {b + column, s.b_row};
  if constexpr (!kLittleCode) {
    if (s.k <= 4 * kPackedWords && s.m >= 2 * kIntegerRows) {
      PackedColumns packed;
      pack_integer_columns(joined, s.k, packed);
      return integer_columns<B>(s, a, packed, column, row_zero, column_zero, put);
    }
  }
  integer_columns<B>(s, a, joined, column, row_zero, column_zero, put);
}

}  // namespace onnxc

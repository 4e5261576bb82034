// integer_product.hpp - products of matrices of 8-bit integers both known only at run time.
//
// Four rows of the right matrix are joined into words on the way to the registers, and multiplied
// with words of as many left rows as registers hold; so nothing is packed, and any sizes and zero
// points do.
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

// Sums of a: [ROWS, depth] times b: [depth, columns of the tile] as the numbers above; after them
// the sums of the columns of b alone.
template <int ROWS, class A, class B>
[[gnu::noinline]] void integer_tile(const A* a, Index a_row, const B* b, Index b_row, Index depth,
                                    std::int32_t* sums) {
  constexpr std::size_t rows = ROWS + 1, vectors = kIntegerVectors;
  const auto* const left = reinterpret_cast<const std::uint8_t*>(a);
  const auto* right = reinterpret_cast<const std::uint8_t*>(b);
  vwords total[rows][vectors] = {};
  const auto step = [&](Index k, Index count) {
    const std::uint32_t used = count == 4 ? ~0u : (1u << (8 * count)) - 1u;
    vwords w[vectors];
#pragma GCC unroll 2
    for (int j = 0; j < kIntegerVectors; ++j)
      w[j] = join_rows<vwords>(right + j * kLanes, b_row, count) ^ (byte_flip<B, false> & used);
#pragma GCC unroll 13
    for (int i = 0; i < ROWS; ++i) {
      std::uint32_t word = 0;
      std::memcpy(&word, left + i * a_row + k, static_cast<std::size_t>(count));
      const vwords x = vwords{} + (first_byte_lowest(word) ^ byte_flip<A, true>);
#pragma GCC unroll 2
      for (int j = 0; j < kIntegerVectors; ++j) total[i][j] = dot_int8(total[i][j], x, w[j]);
    }
#pragma GCC unroll 2
    for (int j = 0; j < kIntegerVectors; ++j)
      total[ROWS][j] = dot_int8(total[ROWS][j], vwords{} + 0x01010101u, w[j]);
    right += 4 * b_row;
  };
  Index k = 0;
  for (Index fours = depth / 4; fours > 0; --fours, k += 4) step(k, 4);
  if (depth - k == 1) step(k, 1);
  if (depth - k == 2) step(k, 2);
  if (depth - k == 3) step(k, 3);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < vectors; ++j, sums += kLanes) store_words(sums, total[i][j]);
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

// Rows and columns of one block, and of the whole matrices.
struct IntegerBlock {
  Index row, column, columns;
};

// put(row, column, sum) for the rows of one tile.  zero(i), of_column(j): zero points as integers.
template <int ROWS, class S, class A, class B, class RowZero, class ColumnZero, class Put>
void integer_rows(const S& s, const A* a, const B* b, const IntegerBlock& at, RowZero row_zero,
                  ColumnZero column_zero, Put put) {
  constexpr std::size_t size = (ROWS + 1) * kIntegerColumns;
  std::int32_t sums[size];
  integer_tile<ROWS>(a + at.row * s.a_row, s.a_row, b, s.b_row, s.k, sums);
  const std::int32_t* const of_columns = sums + ROWS * kIntegerColumns;
  for (Index i = 0; i < ROWS; ++i) {
    const std::int32_t za = row_zero(at.row + i) + byte_offset<A, true>;
    const std::int32_t row_sum = integer_row_sum(a + (at.row + i) * s.a_row, s.k);
    const std::uint32_t rest = static_cast<std::uint32_t>(row_sum) -
                               static_cast<std::uint32_t>(s.k) * static_cast<std::uint32_t>(za);
    for (Index j = 0; j < at.columns; ++j) {
      const auto zb =
          static_cast<std::uint32_t>(column_zero(at.column + j) + byte_offset<B, false>);
      const std::uint32_t sum =
          static_cast<std::uint32_t>(sums[i * kIntegerColumns + j]) -
          static_cast<std::uint32_t>(za) * static_cast<std::uint32_t>(of_columns[j]) - zb * rest;
      put(at.row + i, at.column + j, static_cast<std::int32_t>(sum));
    }
  }
}

// All rows for the columns of a block that b starts with.
template <class S, class A, class B, class RowZero, class ColumnZero, class Put>
void integer_columns(const S& s, const A* a, const B* b, Index column, Index columns,
                     RowZero row_zero, ColumnZero column_zero, Put put) {
  IntegerBlock at = {0, column, columns};
  if constexpr (kIntegerRows > 4) {
    for (; at.row + kIntegerRows <= s.m; at.row += kIntegerRows)
      integer_rows<kIntegerRows>(s, a, b, at, row_zero, column_zero, put);
  }
  if constexpr (kIntegerRows >= 4) {
    for (; at.row + 4 <= s.m; at.row += 4) integer_rows<4>(s, a, b, at, row_zero, column_zero, put);
  }
  for (; at.row < s.m; ++at.row) integer_rows<1>(s, a, b, at, row_zero, column_zero, put);
}

}  // namespace onnxc

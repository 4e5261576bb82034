// int8_row_pairs.hpp - two rows of a product of 8-bit integers at a time, for cores without vectors
// that sum the products of half words.
//
// The rows are split into half words once, in scratch memory, for all columns: then a step of two
// columns has to split its weights only.
#pragma once

#include <cstdint>

#include "runtime_min/simd_int8.hpp"
#include "runtime_min/types.hpp"
#include "templates/matmul/int8_tile.hpp"

namespace onnxc {

// With -Os and at -O0 compilers are left to choose. Panels of four columns have two steps.
#if defined(__ARM_FEATURE_DSP) && !defined(__aarch64__) && !defined(__ARM_FEATURE_MVE) && \
    !defined(__ARM_NEON) && defined(__OPTIMIZE__) && !defined(__OPTIMIZE_SIZE__)
#define ONNXC_ROW_PAIRS
#endif

#if defined(ONNXC_ROW_PAIRS)
template <int NR>
constexpr bool kHasRowPairs = NR == 4;
#else
template <int NR>
constexpr bool kHasRowPairs = false;
#endif

// Words of each row that are split at a time, which take four times the memory on the stack, and
// columns whose sums are kept at a time where windows are longer.
constexpr Index kMostPairWords = 36, kMostPairColumns = 32;

// Two rows as half words: for each word of four bytes those of even bytes and those of odd ones of
// the first row, then of the second one.
struct RowPair {
  const std::uint32_t* halves;
  Index words;
  const std::int8_t* w;  // of the first column
  Index panel_size;
};

#if defined(ONNXC_ROW_PAIRS)
// A word of each row with those of two columns.
#define ONNXC_ROW_PAIR_STEP                       \
  "ldrd %[w0], %[w1], [%[w]], %[step]\n\t"        \
  "ldrd %[even], %[odd], [%[x]], #8\n\t"          \
  "sxtb16 %[w0_even], %[w0]\n\t"                  \
  "sxtb16 %[w0], %[w0], ror #8\n\t"               \
  "sxtb16 %[w1_even], %[w1]\n\t"                  \
  "sxtb16 %[w1], %[w1], ror #8\n\t"               \
  "smlad %[s00], %[even], %[w0_even], %[s00]\n\t" \
  "smlad %[s01], %[even], %[w1_even], %[s01]\n\t" \
  "smlad %[s00], %[odd], %[w0], %[s00]\n\t"       \
  "smlad %[s01], %[odd], %[w1], %[s01]\n\t"       \
  "ldrd %[even], %[odd], [%[x]], #8\n\t"          \
  "smlad %[s10], %[even], %[w0_even], %[s10]\n\t" \
  "smlad %[s11], %[even], %[w1_even], %[s11]\n\t" \
  "smlad %[s10], %[odd], %[w0], %[s10]\n\t"       \
  "smlad %[s11], %[odd], %[w1], %[s11]\n\t"
#endif

// sums + the products of `words` words of both rows with those of two columns, NR words to a step.
template <int NR>
[[gnu::always_inline]] inline void add_row_pair(std::uint32_t (&sums)[2][2],
                                                const std::uint32_t* halves, const std::int8_t* w,
                                                Index words) {
#if defined(ONNXC_ROW_PAIRS)
  const std::uint32_t* const end = halves + 4 * words;
  std::uint32_t even, odd, w0, w1, w0_even, w1_even;
  // Two words at a time; of an odd number one more, at which the loop is entered.
  asm volatile(
      "sub %[even], %[end], %[x]\n\t"
      "tst %[even], #16\n\t"
      "bne 2f\n"
      "1:\n\t"                      //
      ONNXC_ROW_PAIR_STEP "2:\n\t"  //
      ONNXC_ROW_PAIR_STEP
      "cmp %[x], %[end]\n\t"
      "bne 1b"
      : [s00] "+r"(sums[0][0]), [s01] "+r"(sums[0][1]), [s10] "+r"(sums[1][0]),
        [s11] "+r"(sums[1][1]), [even] "=&r"(even), [odd] "=&r"(odd), [w0] "=&r"(w0),
        [w1] "=&r"(w1), [w0_even] "=&r"(w0_even), [w1_even] "=&r"(w1_even), [x] "+r"(halves),
        [w] "+r"(w)
      : [end] "r"(end), [step] "i"(NR * 4)
      : "cc", "memory");
#else
  static_cast<void>(sums), static_cast<void>(halves), static_cast<void>(w);
  static_cast<void>(words);
#endif
}

#undef ONNXC_ROW_PAIR_STEP

// Splits words of bytes of two rows. flip: what makes signed bytes unsigned, or 0.
template <std::uint32_t flip>
[[gnu::always_inline]] inline void split_row_pair(const std::uint8_t* x0, const std::uint8_t* x1,
                                                  Index words, std::uint32_t* to) {
#pragma GCC unroll 1
  for (; words > 0; --words, x0 += 4, x1 += 4, to += 4) {
    const std::uint32_t a = broadcast_word<std::uint32_t>(x0) ^ flip,
                        b = broadcast_word<std::uint32_t>(x1) ^ flip;
    to[0] = a & 0x00ff00ffu;
    to[1] = a >> 8 & 0x00ff00ffu;
    to[2] = b & 0x00ff00ffu;
    to[3] = b >> 8 & 0x00ff00ffu;
  }
}

// The same of one of the rows.
[[gnu::always_inline]] inline void split_row_of_pair(const std::uint8_t* x, Index words,
                                                     std::uint32_t* to) {
#pragma GCC unroll 1
  for (; words > 0; --words, x += 4, to += 4) {
    const auto a = broadcast_word<std::uint32_t>(x);
    to[0] = a & 0x00ff00ffu;
    to[1] = a >> 8 & 0x00ff00ffu;
  }
}

// Stores the sums of two columns as results of both rows, y and ldy elements further on.
template <class Y, class Epilogue>
[[gnu::always_inline]] inline void finish_row_pair(const std::uint32_t (&sums)[2][2],
                                                   const Int8Place<Y>& place, Index ldy,
                                                   Index channel, bool both,
                                                   const Epilogue& epilogue) {
#pragma GCC unroll 2
  for (int i = 0; i < 2; ++i) {
    Y* const y = place.y + i * ldy + channel;
    const Index at = place.at + i * ldy + channel;
    finish_sums<float>(sums[i][0], 1, y, at, channel, epilogue);
    if (both) finish_sums<float>(sums[i][1], 1, y + 1, at + 1, channel + 1, epilogue);
  }
}

// Columns of two rows, from a multiple of NR on. start, place: of column 0.
template <int NR, class Y, class Epilogue>
[[gnu::noinline]] void int8_row_pair(const RowPair& pair, Span columns, const std::int32_t* start,
                                     const Int8Place<Y>& given_place, Index ldy,
                                     const Epilogue& given) {
  // Copies, since the stores might alias references.
  const Epilogue epilogue = given;
  const RowPair p = pair;
  const Int8Place<Y> place = given_place;
  const std::int8_t* w = p.w;
  for (Index j = columns.begin; j < columns.end; j += 2) {
    const auto s0 = static_cast<std::uint32_t>(start[j]),
               s1 = static_cast<std::uint32_t>(start[j + 1]);
    std::uint32_t sums[2][2] = {{s0, s1}, {s0, s1}};
    add_row_pair<NR>(sums, p.halves, w, p.words);
    finish_row_pair(sums, place, ldy, j, j + 1 < columns.end, epilogue);
    w += j % NR == NR - 2 ? p.panel_size - (NR - 2) * 4 : 8;
  }
}

// The same for a part of long rows, whose sums are kept: [columns / 2][2][2].
template <int NR>
[[gnu::noinline]] void add_int8_row_pair(const RowPair& pair, Index columns, std::uint32_t* all) {
  const RowPair p = pair;
  const std::int8_t* w = p.w;
  for (Index j = 0; j < columns; j += 2, all += 4) {
    std::uint32_t sums[2][2] = {{all[0], all[1]}, {all[2], all[3]}};
    add_row_pair<NR>(sums, p.halves, w, p.words);
    all[0] = sums[0][0], all[1] = sums[0][1], all[2] = sums[1][0], all[3] = sums[1][1];
    w += j % NR == NR - 2 ? p.panel_size - (NR - 2) * 4 : 8;
  }
}

inline void start_int8_row_pair(Span columns, const std::int32_t* start, std::uint32_t* all) {
  for (Index j = columns.begin; j < columns.end; j += 2, all += 4) {
    all[0] = all[2] = static_cast<std::uint32_t>(start[j]);
    all[1] = all[3] = static_cast<std::uint32_t>(start[j + 1]);
  }
}

template <class Y, class Epilogue>
[[gnu::noinline]] void finish_int8_row_pair(const std::uint32_t* all, Span columns,
                                            const Int8Place<Y>& given_place, Index ldy,
                                            const Epilogue& given) {
  const Epilogue epilogue = given;
  const Int8Place<Y> place = given_place;
  for (Index j = columns.begin; j < columns.end; j += 2, all += 4) {
    const std::uint32_t sums[2][2] = {{all[0], all[1]}, {all[2], all[3]}};
    finish_row_pair(sums, place, ldy, j, j + 1 < columns.end, epilogue);
  }
}

}  // namespace onnxc

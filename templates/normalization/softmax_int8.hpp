// softmax_int8.hpp - softmax of rows of quantised values, in integers, so that all targets give the
// same bytes.
//
// Rows have at most 256 values, so a table holds what may become of them: their exponentials, less
// the largest value of the row, as integers of 32 bits. Their sum is exact, and a row divides once.
#pragma once

#include <cstdint>

#include "runtime_min/chunk.hpp"
#include "runtime_min/flash.hpp"
#include "runtime_min/simd_int8.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

// What a number of the table becomes: the upper half of its product with `factor`, rounded at bit
// `shift`.
struct RowQuotient {
  std::uint32_t factor;
  int shift;
};

// inverse: 1 / scale of the results, as inverse * 2^-places, from 2^30 to below 2^31. sum: from
// 2^31 on.
[[gnu::always_inline]] inline RowQuotient row_quotient(std::uint64_t sum, std::uint32_t inverse,
                                                       int places) {
  while ((sum >> 32) != 0) {
    // Bits that are lost are below the precision of the table.
    sum >>= 1;
    ++places;
  }
  auto factor =
      static_cast<std::uint32_t>((std::uint64_t{inverse} << 32) / static_cast<std::uint32_t>(sum));
  for (; places > 31; --places) factor >>= 1;
  return {factor, places};
}

#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
// The numbers of the table for four values.
[[gnu::always_inline]] inline words<4> four_exponents(const std::uint32_t* exponents,
                                                      words<4> largest, words<4> values) {
  words<4> e;
  asm("vsub.i32 %q1, %q2, %q1\n\tvldrw.u32 %q0, [%3, %q1, uxtw #2]"
      : "=&w"(e), "+w"(values)
      : "w"(largest), "r"(exponents), "m"(*exponents));
  return e;
}
#endif

// The sum of the numbers of the table for a row, of which `largest` is the largest value.
template <class X>
[[gnu::always_inline]] inline std::uint64_t sum_exponents(const std::uint32_t* exponents,
                                                          const X* x, Index count, int largest) {
  std::uint64_t sum = 0;
  Index i = 0;
#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
  const words<4> from = words<4>{} + static_cast<std::uint32_t>(largest);
  // An even register and an odd one.
  register std::uint32_t low asm("r2") = 0, high asm("r3") = 0;
  for (; i + 4 <= count; i += 4)
    asm("vaddlva.u32 %0, %1, %q2"
        : "+r"(low), "+r"(high)
        : "w"(four_exponents(exponents, from, widen<4>(x + i))));
  sum = std::uint64_t{high} << 32 | low;
#endif
  for (; i < count; ++i) sum += constant_at(exponents + (largest - x[i]));
  return sum;
}

// y = the quotients of a row plus the zero point, as far as the type holds them.
template <class S, class X, class Y>
[[gnu::always_inline]] inline void store_quotients(const S& s, const std::uint32_t* exponents,
                                                   const X* x, int largest, RowQuotient q, Y* y) {
  const auto zero = static_cast<std::int32_t>(s.zero), most = static_cast<std::int32_t>(s.most);
  Index i = 0;
#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
  const words<4> from = words<4>{} + static_cast<std::uint32_t>(largest),
                 factor = words<4>{} + q.factor;
  const numbers_of<4> zeros = numbers_of<4>{} + zero, limit = numbers_of<4>{} + most;
  for (; i + 4 <= s.count; i += 4) {
    words<4> r = four_exponents(exponents, from, widen<4>(x + i));
    asm("vmulh.u32 %q0, %q0, %q1\n\t"
        "vrshl.u32 %q0, %2\n\t"
        "vadd.i32 %q0, %q0, %q3\n\t"
        "vmin.s32 %q0, %q0, %q4"
        : "+w"(r)
        : "w"(factor), "r"(-q.shift), "w"(zeros), "w"(limit));
    asm("vstrb.32 %q1, [%2]" : "=m"(*reinterpret_cast<Y(*)[4]>(y + i)) : "w"(r), "l"(y + i));
  }
#endif
  const std::uint32_t half = std::uint32_t{1} << q.shift >> 1;
  for (; i < s.count; ++i) {
    const std::uint64_t e = constant_at(exponents + (largest - x[i]));
    const auto upper = static_cast<std::uint32_t>(e * q.factor >> 32);
    const std::int32_t r = static_cast<std::int32_t>((upper + half) >> q.shift) + zero;
    y[i] = static_cast<Y>(r < most ? r : most);
  }
}

// x, y: [rows, count], the same memory or not overlapping. exponents: [257]: of 0 to 255 steps of x
// below the largest value of a row, times 2^31, and the inverse of the scale of y.  s: rows, count,
// places (row_quotient), zero and most (the largest value) of y. Divisible.
template <class S, class X, class Y>
void softmax_int8(S s, const X* x, const std::uint32_t* exponents, Y* y) {
  static_assert(sizeof(X) == 1 && sizeof(Y) == 1);
  if (s.count == 0) return;
  const Span own = chunk_range(s, s.rows);
  const std::uint32_t inverse = constant_at(exponents + 256);
  for (Index row = own.begin; row < own.end; ++row) {
    const X* const from = x + row * s.count;
    X largest = from[0];
    for (Index i = 1; i < s.count; ++i) largest = from[i] > largest ? from[i] : largest;
    const std::uint64_t sum = sum_exponents(exponents, from, s.count, largest);
    store_quotients(s, exponents, from, largest,
                    row_quotient(sum, inverse, static_cast<int>(s.places)), y + row * s.count);
  }
}

}  // namespace onnxc

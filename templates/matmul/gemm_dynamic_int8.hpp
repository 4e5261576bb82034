// gemm_dynamic_int8.hpp - batched products of matrices of 8-bit integers, both known only at run
// time, less their zero points: exact sums, of which an epilogue makes the results.
//
// Cores without vectors of 32 bits for them have a path of their own: a few columns of the right
// matrix are copied side by side and multiplied with all rows of the left one, by the instructions
// for half words (SMLAD), for vectors of bytes (VMLADAVA), or one by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "runtime_min/chunk.hpp"
#include "runtime_min/simd.hpp"
#include "runtime_min/simd_int8.hpp"
#include "runtime_min/types.hpp"
#include "templates/convolution/window.hpp"
#include "templates/matmul/int8_tile.hpp"
#include "templates/quantization/quantize.hpp"

namespace onnxc {

// Columns whose sums stay in registers, and rows.
#if defined(__ARM_FEATURE_DSP) && !defined(__aarch64__)
constexpr std::size_t kByteRows = 1, kByteColumns = 4;
#else
constexpr std::size_t kByteRows = 2, kByteColumns = 1;
#endif
constexpr bool kFewByteColumns = kLanes == 1 || kSumsBytes;

// How a copied value is stored: for products of half words already as one of those.
constexpr bool kCopiesHalfWords = kByteColumns == 4 && !kSumsBytes;
template <class B>
using CopiedByte = std::conditional_t<kCopiesHalfWords, std::int16_t, B>;

// The place of row k of column c among the copied ones. Half words lie as the bytes 0 and 2, and 1
// and 3, of a word are multiplied; otherwise one column follows the other.
[[gnu::always_inline]] inline Index byte_place(Index k, Index c, Index depth) {
  if constexpr (kCopiesHalfWords) return (k & ~Index{3}) * 4 + c * 4 + (k & 1) * 2 + (k >> 1 & 1);
  return c * depth + k;
}

// What is added to a value of B to have the signedness of A, in bits of its byte; and what that
// takes off its zero point. Half words and single bytes take each operand as it is.
template <class A, class B>
constexpr bool flips_bytes = kSumsBytes&& std::is_signed_v<A> != std::is_signed_v<B>;
template <class A, class B>
constexpr std::int32_t flipped_zero(std::int32_t zero) {
  return !flips_bytes<A, B> ? zero : std::is_signed_v<B> ? zero + 128 : zero - 128;
}

// Sums of the columns that are copied, less what their zero points take.
struct ByteColumnSums {
  std::uint32_t start[kByteColumns];
};

// Copies `count` columns from b on. start: what their products with the zero point of A take off.
template <class A, class S, class B>
[[gnu::noinline]] ByteColumnSums copy_byte_columns(const S& s, const B* b, Index count,
                                                   std::int32_t* copied) {
  using Common = std::conditional_t<flips_bytes<A, B>, A, B>;
  auto* const to = reinterpret_cast<CopiedByte<Common>*>(copied);
  ByteColumnSums sums = {};
  const auto zero_a = static_cast<std::int32_t>(s.a_zero),
             zero_b = flipped_zero<A, B>(static_cast<std::int32_t>(s.b_zero));
  for (std::size_t c = 0; c < kByteColumns; ++c) {
    // Columns that do not exist are the first one again.
    const auto column = static_cast<Index>(c);
    const B* from = b + (column < count ? column : 0) * s.b_column;
    std::int32_t sum = 0;
    for (Index k = 0; k < s.k; ++k, from += s.b_row) {
      const auto value =
          static_cast<Common>(static_cast<std::uint8_t>(*from) ^ (flips_bytes<A, B> ? 0x80u : 0u));
      to[byte_place(k, column, s.k)] = value;
      sum += value;
    }
    const auto rest = static_cast<std::uint32_t>(zero_b) * static_cast<std::uint32_t>(s.k);
    sums.start[c] = static_cast<std::uint32_t>(zero_a) * (rest - static_cast<std::uint32_t>(sum));
  }
  return sums;
}

#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
#define ONNXC_SUM_BYTES(TYPE)                                                    \
  asm("wlstp.8 lr, %[depth], 2f\n"                                               \
      "1:\n\t"                                                                   \
      "vldrb.8 q0, [%[x]], #16\n\t"                                              \
      "vldrb.8 q1, [%[w0]], #16\n\t"                                             \
      "vldrb.8 q2, [%[w1]], #16\n\t"                                             \
      "vmladava." TYPE                                                           \
      " %[s0], q0, q1\n\t"                                                       \
      "vldrb.8 q1, [%[w2]], #16\n\t"                                             \
      "vmladava." TYPE                                                           \
      " %[s1], q0, q2\n\t"                                                       \
      "vldrb.8 q2, [%[w3]], #16\n\t"                                             \
      "vmladava." TYPE                                                           \
      " %[s2], q0, q1\n\t"                                                       \
      "vmladava." TYPE                                                           \
      " %[s3], q0, q2\n\t"                                                       \
      "letp lr, 1b\n"                                                            \
      "2:"                                                                       \
      : [x] "+r"(x), [w0] "+r"(w0), [w1] "+r"(w1), [w2] "+r"(w2), [w3] "+r"(w3), \
        [s0] "+Te"(sums[0][0]), [s1] "+Te"(sums[0][1]), [s2] "+Te"(sums[0][2]),  \
        [s3] "+Te"(sums[0][3])                                                   \
      : [depth] "r"(depth)                                                       \
      : "lr", "q0", "q1", "q2", "cc", "memory")
#elif defined(__ARM_FEATURE_DSP) && !defined(__aarch64__)
// Words from a on with four copied columns. In one piece: otherwise g++ keeps sums in memory.
#define ONNXC_COLUMN(SUM)                    \
  "ldrd %[b0], %[b1], [%[w]], #8\n\t"        \
  "smlad %[" SUM "], %[even], %[b0], %[" SUM \
  "]\n\t"                                    \
  "smlad %[" SUM "], %[odd], %[b1], %[" SUM "]\n\t"
#define ONNXC_SUM_HALF_WORDS(EXTEND) \
  asm("1:\n\t"                                                                                  \
      "ldr %[odd], [%[x]], #4\n\t" EXTEND " %[even], %[odd]\n\t" EXTEND                         \
      " %[odd], %[odd], ror #8\n\t" ONNXC_COLUMN("s0") ONNXC_COLUMN("s1") ONNXC_COLUMN("s2")     \
          ONNXC_COLUMN("s3") "cmp %[w], %[end]\n\t"                                             \
      "bne 1b"                                                                                  \
      : [x] "+r"(x), [w] "+r"(w), [s0] "+r"(sums[0][0]), [s1] "+r"(sums[0][1]),                 \
        [s2] "+r"(sums[0][2]), [s3] "+r"(sums[0][3]), [even] "=&r"(even), [odd] "=&r"(odd),     \
        [b0] "=&r"(b0), [b1] "=&r"(b1)                                                          \
      : [end] "r"(end)                                                                          \
      : "cc", "memory")
#endif

// sums[i][j] += the products of row i of a with copied column j.
#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
// Inlined next to statements with registers of their own it leaves GCC 12 none.
#define ONNXC_SUMS_OF_BYTES [[gnu::noinline]]
#else
#define ONNXC_SUMS_OF_BYTES [[gnu::always_inline]]
#endif
template <std::size_t ROWS, class B, class A>
ONNXC_SUMS_OF_BYTES inline void add_byte_rows(std::uint32_t (&sums)[ROWS][kByteColumns], const A* a,
                                              Index lda, const std::int32_t* copied, Index depth) {
#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
  static_cast<void>(lda);
  const A* x = a;
  const auto *w0 = reinterpret_cast<const std::uint8_t*>(copied), *w1 = w0 + depth,
             *w2 = w1 + depth, *w3 = w2 + depth;
  if constexpr (std::is_signed_v<A>) {
    ONNXC_SUM_BYTES("s8");
  } else {
    ONNXC_SUM_BYTES("u8");
  }
#elif defined(__ARM_FEATURE_DSP) && !defined(__aarch64__)
  static_cast<void>(lda);
  const A* x = a;
  const std::int32_t *w = copied, *const end = copied + depth / 4 * 8;
  std::uint32_t even, odd, b0, b1;
  if (w != end) {
    if constexpr (std::is_signed_v<A>) {
      ONNXC_SUM_HALF_WORDS("sxtb16");
    } else {
      ONNXC_SUM_HALF_WORDS("uxtb16");
    }
  }
  const auto* const rest = reinterpret_cast<const std::int16_t*>(w);
  for (Index k = 0; k < depth % 4; ++k)
    for (std::size_t j = 0; j < 4; ++j)
      sums[0][j] += static_cast<std::uint32_t>(std::int32_t{x[k]} *
                                               rest[byte_place(k, static_cast<Index>(j), 4)]);
#else
  const auto* const b = reinterpret_cast<const CopiedByte<B>*>(copied);
  for (Index k = 0; k < depth; ++k)
#pragma GCC unroll 2
    for (std::size_t i = 0; i < ROWS; ++i)
      sums[i][0] += static_cast<std::uint32_t>(std::int32_t{a[static_cast<Index>(i) * lda + k]} *
                                               std::int32_t{b[k]});
#endif
}
#undef ONNXC_SUM_HALF_WORDS
#undef ONNXC_COLUMN
#undef ONNXC_SUM_BYTES
#undef ONNXC_SUMS_OF_BYTES

template <std::size_t ROWS>
struct RowCount {
  static constexpr std::size_t value = ROWS;
};

// Where the first result of some rows goes.
template <class Y>
struct BytePlace {
  Y* y;
  Index at, channel, count;  // columns that exist
};

template <std::size_t ROWS, class B, class S, class A, class Y, class Epilogue>
[[gnu::always_inline]] inline void byte_rows(const S& s, const A* a, const std::int32_t* copied,
                                             const ByteColumnSums& columns,
                                             const std::uint32_t* row_rest,
                                             const BytePlace<Y>& place, const Epilogue& epilogue) {
  std::uint32_t sums[ROWS][kByteColumns];
#pragma GCC unroll 2
  for (std::size_t i = 0; i < ROWS; ++i)
#pragma GCC unroll 4
    for (std::size_t j = 0; j < kByteColumns; ++j)
      sums[i][j] = columns.start[j] - (row_rest != nullptr ? row_rest[i] : 0u);
  add_byte_rows<ROWS, B>(sums, a, s.a_row, copied, s.k);
#pragma GCC unroll 2
  for (std::size_t i = 0; i < ROWS; ++i) {
    const Index row = static_cast<Index>(i) * s.n;
    Y* const y = place.y + row;
    const Index at = place.at + row;
    if constexpr (kLanes == 4) {
      finish_sums<vec<4>>(words<4>{sums[i][0], sums[i][1], sums[i][2], sums[i][3]}, place.count, y,
                          at, place.channel, epilogue);
    } else {
      // Unrolled it would take four times the code.
#pragma GCC unroll 1
      for (Index j = 0; j < place.count; ++j)
        finish_sums<float>(sums[i][static_cast<std::size_t>(j)], 1, y + j, at + j,
                           place.channel + j, epilogue);
    }
  }
}

// One product. scratch: byte_product_words(s) words.
template <class S, class A, class B, class Y, class Epilogue>
void byte_product(const S& s, const A* a, const B* b, Y* y, Index at, std::int32_t* scratch,
                  const Epilogue& epilogue) {
  const std::int32_t zero = flipped_zero<A, B>(static_cast<std::int32_t>(s.b_zero));
  auto* const rest = zero != 0 ? reinterpret_cast<std::uint32_t*>(scratch) : nullptr;
  for (Index i = 0; rest != nullptr && i < s.m; ++i) {
    std::int32_t sum = 0;
    for (Index k = 0; k < s.k; ++k) sum += a[i * s.a_row + k];
    rest[i] = static_cast<std::uint32_t>(zero) * static_cast<std::uint32_t>(sum);
  }
  std::int32_t* const copied = scratch + s.m;
  constexpr Index height = kByteRows, width = kByteColumns;
  for (Index j = 0; j < s.n; j += width) {
    const Index count = s.n - j < width ? s.n - j : width;
    const ByteColumnSums columns = copy_byte_columns<A>(s, b + j * s.b_column, count, copied);
    const auto rows = [&](auto some, Index i) {
      const BytePlace<Y> place = {y + i * s.n + j, at + i * s.n + j, j, count};
      byte_rows<decltype(some)::value, B>(s, a + i * s.a_row, copied, columns,
                                          rest != nullptr ? rest + i : nullptr, place, epilogue);
    };
    Index i = 0;
    if constexpr (height > 1)
      for (; i + height <= s.m; i += height) rows(RowCount<kByteRows>{}, i);
    for (Index left = s.m - i; left > 0; --left, ++i) rows(RowCount<1>{}, i);
  }
}

// Words of scratch memory, for targets where one sum is in a register of its own or bytes are
// summed.
template <class S>
constexpr auto byte_product_words(const S& s) {
  return s.m + (s.k + 3) / 4 * 8;
}

// One zero point for all rows and columns, as products with any number of them read it.
template <class S>
struct SingleZeros : S {
  static constexpr Index a_zero_step = 0, b_zero_step = 0;
  explicit SingleZeros(const S& s) : S(s) {}
};

// y[batch, m, n] = epilogue(the sum over k of (a - a_zero) * (b - b_zero)). a: [m, k] with rows
// a_row apart; b: [k, n] with any strides; both with strides along the batch, 0 for the same matrix
// again.  s: batch[R], a_batch[R], b_batch[R], m, k, n, a_row, a_column (1), b_row, b_column,
// a_zero, b_zero. scratch: byte_product_words(s), or null for targets with vectors of 32 bits.
// Divisible.
template <std::size_t R, class S, class A, class B, class Y, class Epilogue = NoEpilogue>
void gemm_dynamic_int8(S s, const A* a, const B* b, Y* y, std::int32_t* scratch,
                       Epilogue epilogue = {}) {
  const Span own = chunk_range(s, box_size<R>(s.batch));
  Position<R> p;
  Index at = own.begin * s.m * s.n;
  for (Index i = 0; i < own.begin; ++i) p.next(s.batch);
  for (Index i = own.begin; i < own.end; ++i, p.next(s.batch), at += s.m * s.n) {
    const A* const left = a + batch_offset<R>(p, s.a_batch);
    const B* const right = b + batch_offset<R>(p, s.b_batch);
    if constexpr (kFewByteColumns) {
      byte_product(s, left, right, y + at, at, scratch, epilogue);
    } else {
      static_cast<void>(scratch);
      const A zero_a = static_cast<A>(s.a_zero);
      const B zero_b = static_cast<B>(s.b_zero);
      integer_product(SingleZeros<S>(s), left, &zero_a, right, &zero_b,
                      [&](Index row, Index column, auto sums) {
                        using Sums = decltype(sums);
                        constexpr int n = std::is_same_v<Sums, vwords> ? kLanes : 1;
                        const Index first = at + row * s.n + column;
                        finish_sums<vec<n>>(static_cast<words<n>>(sums), n, y + first, first,
                                            column, epilogue);
                      });
    }
  }
}

}  // namespace onnxc

// simd_int8_mve.hpp - sums of products of 8-bit integers, and bytes of floats, for cores with
// Helium (MVE).
#pragma once

#include <cstdint>
#include <type_traits>

#include "runtime_min/simd_int8.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
namespace mve_detail {

// Two rows with four columns. MULTIPLY: vmladav of the first bytes, vmladava of the others.
#define ONNXC_MULTIPLY_TWO(MULTIPLY, J, W) \
  MULTIPLY ".s8 %[s0" #J "], q0, " #W "\n\t" MULTIPLY ".s8 %[s1" #J "], q1, " #W "\n\t"
#define ONNXC_MULTIPLY_PAIR(MULTIPLY) \
  "vldrb.8 q0, [%[x0]], #16\n\t"                                         \
  "vldrb.8 q1, [%[x1]], #16\n\t"                                         \
  "vldrw.u32 q2, [%[w0], %[run]]\n\t"                                    \
  "vldrw.u32 q3, [%[w0]], #16\n\t"                                       \
  "veor q0, q0, %q[flip]\n\t"                                            \
  "veor q1, q1, %q[flip]\n\t" ONNXC_MULTIPLY_TWO(MULTIPLY, 1, q2)        \
      ONNXC_MULTIPLY_TWO(MULTIPLY, 0, q3) "vldrw.u32 q2, [%[w2], %[run]]\n\t" \
  "vldrw.u32 q3, [%[w2]], #16\n\t" ONNXC_MULTIPLY_TWO(MULTIPLY, 3, q2)   \
      ONNXC_MULTIPLY_TWO(MULTIPLY, 2, q3)
// The last bytes of a run, by a predicate: zeros in what is not loaded.
#define ONNXC_MULTIPLY_LAST(MULTIPLY) \
  "mov %[count], %[last]\n\t"                                                           \
  "vctp.8 %[count]\n\t"                                                                 \
  "vpstttt\n\t"                                                                         \
  "vldrbt.8 q0, [%[x0]]\n\t"                                                            \
  "vldrbt.8 q1, [%[x1]]\n\t"                                                            \
  "vldrwt.u32 q2, [%[w0], %[run]]\n\t"                                                  \
  "vldrwt.u32 q3, [%[w0]]\n\t"                                                          \
  "veor q0, q0, %q[flip]\n\t"                                                           \
  "veor q1, q1, %q[flip]\n\t" ONNXC_MULTIPLY_TWO(MULTIPLY, 1, q2)                       \
      ONNXC_MULTIPLY_TWO(MULTIPLY, 0, q3) "vpstt\n\t"                                   \
  "vldrwt.u32 q2, [%[w2], %[run]]\n\t"                                                  \
  "vldrwt.u32 q3, [%[w2]]\n\t" ONNXC_MULTIPLY_TWO(MULTIPLY, 3, q2)                      \
      ONNXC_MULTIPLY_TWO(MULTIPLY, 2, q3)
// Two rows of four with two columns, whose bytes are q2 and q3. IF: of a predicate, which LOAD has.
#define ONNXC_MULTIPLY_ROWS(IF, LOAD, X, A, B)            \
  IF LOAD " q1, [%[" X "], %[ldx]]\n\t" LOAD " q0, [%[" X \
          "]], #16\n\t"                                   \
          "veor q0, q0, %q[flip]\n\t"                     \
          "veor q1, q1, %q[flip]\n\t"                     \
          "vmladava.s8 %[" A                              \
          "0], q0, q2\n\t"                                \
          "vmladava.s8 %[" B                              \
          "0], q1, q2\n\t"                                \
          "vmladava.s8 %[" A                              \
          "1], q0, q3\n\t"                                \
          "vmladava.s8 %[" B "1], q1, q3\n\t"
#define ONNXC_MULTIPLY_QUAD(IF, LOAD)             \
  ONNXC_MULTIPLY_ROWS(IF, LOAD, "x0", "s0", "s1") \
  ONNXC_MULTIPLY_ROWS(IF, LOAD, "x2", "s2", "s3")
// All bytes of a run; the last ones by a predicate: zeros in what is not loaded.
#define ONNXC_MULTIPLY_QUADS(LOAD, TYPE) \
  ".if %c[whole] > 0\n\t"                     \
  "mov %[count], #%c[whole]\n"                \
  "1:\n\t"                                    \
  "vldrw.u32 q2, [%[w0]], #16\n\t"            \
  "vldrw.u32 q3, [%[w1]], #16\n\t"            \
  ONNXC_MULTIPLY_QUAD("", LOAD TYPE)          \
  "subs %[count], #1\n\t"                     \
  "bne 1b\n\t"                                \
  ".endif\n\t"                                \
  ".if %c[last] > 0\n\t"                      \
  "mov %[count], %[last]\n\t"                 \
  "vctp.8 %[count]\n\t"                       \
  "vpstt\n\t"                                 \
  "vldrwt.u32 q2, [%[w0]]\n\t"                \
  "vldrwt.u32 q3, [%[w1]]\n\t"                \
  ONNXC_MULTIPLY_QUAD("vpstt\n\t", LOAD "t" TYPE) \
  ".endif"
typedef std::uint8_t Bytes __attribute__((vector_size(16)));

}  // namespace mve_detail

// Bytes of a run that pair_products takes. Clang has no name for the register of predicates.
#if defined(__clang__)
#define ONNXC_PREDICATE_REGISTER
constexpr Index kPairStep = 16;
#else
#define ONNXC_PREDICATE_REGISTER "p0",
constexpr Index kPairStep = 4;
#endif
constexpr bool is_run_of_pairs(Index bytes) {
  return bytes > 0 && bytes % kPairStep == 0 && bytes <= 508;
}

// Four sums as a vector.
[[gnu::always_inline]] inline words<4> join_sums(const std::uint32_t (&s)[4]) {
  words<4> joined;
  asm("vmov %q0[2], %q0[0], %1, %3\n\tvmov %q0[3], %q0[1], %2, %4"
      : "=&w"(joined)
      : "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]));
  return joined;
}

// s[i][j] = the products of RUN bytes from x + i * ldx on, each less 128, and those from w + j *
// RUN on. One register has the addresses of two columns, since the sums take all the even ones;
// compilers that choose the registers find no way to do so.
template <int RUN>
[[gnu::always_inline]] inline void pair_products(std::uint32_t (&s)[2][4], const std::uint8_t* x,
                                                 Index ldx, const std::int8_t* w) {
  static_assert(is_run_of_pairs(RUN));
  const mve_detail::Bytes flip = mve_detail::Bytes{} + std::uint8_t{0x80};
  register const std::uint8_t *x0 asm("r1") = x, *x1 asm("r3") = x + ldx;
  register const std::int8_t *w0 asm("r5") = w, *w2 asm("r9") = w + 2 * RUN;
  register std::int32_t count asm("r11");
  register std::uint32_t s00 asm("r0"), s01 asm("r2"), s02 asm("r4"), s03 asm("r6"), s10 asm("r8"),
      s11 asm("r10"), s12 asm("r12"), s13 asm("lr");
  asm(".if %c[whole] > 0\n\t" ONNXC_MULTIPLY_PAIR("vmladav")
      ".endif\n\t"
      ".if %c[whole] > 1\n\t"
      "mov %[count], #%c[whole] - 1\n"
      "1:\n\t" ONNXC_MULTIPLY_PAIR("vmladava")
      "subs %[count], #1\n\t"
      "bne 1b\n\t"
      ".endif\n\t"
      ".if %c[last] > 0\n\t"
      ".if %c[whole] > 0\n\t" ONNXC_MULTIPLY_LAST("vmladava")
      ".else\n\t" ONNXC_MULTIPLY_LAST("vmladav")
      ".endif\n\t"
      ".endif"
      : [s00] "=&r"(s00), [s01] "=&r"(s01), [s02] "=&r"(s02), [s03] "=&r"(s03), [s10] "=&r"(s10),
        [s11] "=&r"(s11), [s12] "=&r"(s12), [s13] "=&r"(s13), [x0] "+&r"(x0), [x1] "+&r"(x1),
        [w0] "+&r"(w0), [w2] "+&r"(w2), [count] "=&r"(count)
      : [run] "i"(RUN), [whole] "i"(RUN / 16), [last] "i"(RUN % 16), [flip] "w"(flip)
      : "q0", "q1", "q2", "q3", "cc", ONNXC_PREDICATE_REGISTER "memory");
  s[0][0] = s00, s[0][1] = s01, s[0][2] = s02, s[0][3] = s03;
  s[1][0] = s10, s[1][1] = s11, s[1][2] = s12, s[1][3] = s13;
}

// Whether quad_products takes runs of so many bytes of rows so far from each other. Words have to
// begin at multiples of four bytes.
constexpr bool is_run_of_quads(Index bytes, Index ldx, bool words) {
  return bytes > 0 && bytes % kPairStep == 0 && ldx > 0 &&
         (words ? ldx % 4 == 0 && ldx <= 508 : ldx <= 127);
}

// s[i][j] += the products of RUN bytes from x + i * LDX on, each less 128, and those from w + j *
// panel on. WORDS: x is a multiple of four. Nothing past the end of a run is read.
template <int RUN, int LDX, bool WORDS>
[[gnu::always_inline]] inline void quad_products(std::uint32_t (&s)[4][2], const std::uint8_t* x,
                                                 const std::int8_t* w, Index panel) {
  static_assert(is_run_of_quads(RUN, LDX, WORDS));
  const mve_detail::Bytes flip = mve_detail::Bytes{} + std::uint8_t{0x80};
  register const std::uint8_t *x0 asm("r1") = x, *x2 asm("r3") = x + 2 * LDX;
  register const std::int8_t *w0 asm("r5") = w, *w1 asm("r9") = w + panel;
  register std::int32_t count asm("r11");
  register std::uint32_t s00 asm("r0") = s[0][0], s01 asm("r2") = s[0][1], s10 asm("r4") = s[1][0],
                             s11 asm("r6") = s[1][1], s20 asm("r8") = s[2][0],
                             s21 asm("r10") = s[2][1], s30 asm("r12") = s[3][0],
                             s31 asm("lr") = s[3][1];
#define ONNXC_QUAD_OPERANDS                                                              \
  : [s00] "+r"(s00), [s01] "+r"(s01), [s10] "+r"(s10), [s11] "+r"(s11), [s20] "+r"(s20),          \
    [s21] "+r"(s21), [s30] "+r"(s30), [s31] "+r"(s31), [x0] "+r"(x0), [x2] "+r"(x2),              \
    [w0] "+r"(w0), [w1] "+r"(w1), [count] "=&r"(count)                                            \
  : [ldx] "i"(LDX), [whole] "i"(RUN / 16), [last] "i"(RUN % 16), [flip] "w"(flip)                 \
  : "q0", "q1", "q2", "q3", "cc", ONNXC_PREDICATE_REGISTER "memory"
  if constexpr (WORDS) {
    asm(ONNXC_MULTIPLY_QUADS("vldrw", ".u32") ONNXC_QUAD_OPERANDS);
  } else {
    asm(ONNXC_MULTIPLY_QUADS("vldrb", ".8") ONNXC_QUAD_OPERANDS);
  }
#undef ONNXC_QUAD_OPERANDS
  s[0][0] = s00, s[0][1] = s01, s[1][0] = s10, s[1][1] = s11;
  s[2][0] = s20, s[2][1] = s21, s[3][0] = s30, s[3][1] = s31;
}

// Floats that become round(clip(scaled, low, high)) + zero where they are used; a byte of one is
// stored without the way over the float.
struct UnroundedNumbers {
  vec<4> scaled;
  float zero, low, high;

  // NaN gives low.
  [[gnu::always_inline]] vec<4> clipped() const {
    const vec<4> least = broadcast<vec<4>>(low);
    vec<4> result = select(greater_than(scaled, least), scaled, least);
    asm("vminnm.f32 %q0, %q0, %q1" : "+w"(result) : "w"(broadcast<vec<4>>(high)));
    return result;
  }
  [[gnu::always_inline]] vec<4> floats() const {
    vec<4> whole;
    asm("vrintn.f32 %q0, %q1" : "=w"(whole) : "w"(clipped()));
    return whole + broadcast<vec<4>>(zero);
  }
  [[gnu::always_inline]] operator vec<4>() const { return floats(); }
};
template <>
inline constexpr bool is_shifted<UnroundedNumbers> = true;

template <class B, std::enable_if_t<sizeof(B) == 1, int> = 0>
[[gnu::always_inline]] inline void store(B* p, UnroundedNumbers v) {
  numbers_of<4> whole;
  if (v.low == 0.0f && v.zero == 0.0f && v.high == 255.0f && !std::is_signed_v<B>) {
    // NaN becomes zero. By way of 16 bits with a sign, so that all that is too large stays so.
    asm("vcvtn.s32.f32 %q0, %q1\n\tvqmovnb.s32 %q0, %q0\n\tvqmovunb.s16 %q0, %q0"
        : "=w"(whole)
        : "w"(v.scaled));
  } else {
    asm("vcvtn.s32.f32 %q0, %q1" : "=w"(whole) : "w"(v.clipped()));
    whole += static_cast<std::int32_t>(v.zero);
  }
  asm("vstrb.32 %q1, [%2]" : "=m"(*reinterpret_cast<B(*)[4]>(p)) : "w"(whole), "l"(p));
}
[[gnu::always_inline]] inline void store(float* p, UnroundedNumbers v) { store(p, v.floats()); }

#undef ONNXC_MULTIPLY_TWO
#undef ONNXC_MULTIPLY_PAIR
#undef ONNXC_MULTIPLY_LAST
#undef ONNXC_MULTIPLY_ROWS
#undef ONNXC_MULTIPLY_QUAD
#undef ONNXC_MULTIPLY_QUADS
#undef ONNXC_PREDICATE_REGISTER
#else
constexpr bool is_run_of_pairs(Index) { return false; }
constexpr bool is_run_of_quads(Index, Index, bool) { return false; }
#endif

// sum + a * b.
template <class W>
[[gnu::always_inline]] inline void add_product(W& sum, W a, W b) {
#if defined(__ARM_FEATURE_MVE)
  // Compilers would add products to each other first, for which there are too few registers.
  if constexpr (lanes<W> == 4) {
    asm("vmul.i32 %q1, %q1, %q2\n\tvadd.i32 %q0, %q0, %q1" : "+w"(sum), "+w"(a) : "w"(b));
    return;
  }
#endif
  sum += a * b;
}

// The same of bytes from p on, and p at what is STEP bytes further on.
template <int STEP, class W>
[[gnu::always_inline]] inline void add_next_product(W& sum, const std::uint8_t*& p, W b) {
#if defined(__ARM_FEATURE_MVE)
  if constexpr (lanes<W> == 4 && STEP < 128) {
    W a;
    asm("vldrb.u32 %q[a], [%[p]], #%c[step]\n\t"
        "vmul.i32 %q[a], %q[a], %q[b]\n\t"
        "vadd.i32 %q[sum], %q[sum], %q[a]"
        : [sum] "+w"(sum), [p] "+l"(p), [a] "=&w"(a)
        : [b] "w"(b), [step] "i"(STEP), "m"(*reinterpret_cast<const std::uint8_t(*)[4]>(p)));
    return;
  }
#endif
  add_product(sum, widen<lanes<W>>(p), b);
  p += STEP;
}

}  // namespace onnxc

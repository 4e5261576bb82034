// matmul_rows_thumb.hpp - the inner loop of float tiles for cores with 32 float registers and no
// vectors, in instructions: compilers load each number with an instruction of its own.
#pragma once

#include "runtime_min/simd.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

#if defined(__thumb2__) && defined(__ARM_FP) && (__ARM_FP & 4) && defined(__ARM_FEATURE_FMA) && \
    !defined(__SOFTFP__) && !defined(__ARM_FEATURE_MVE) && !defined(__ARM_NEON) &&              \
    defined(__OPTIMIZE__) && !defined(__OPTIMIZE_SIZE__)
#define ONNXC_FLOAT_ROWS
constexpr bool kHasFloatRows = true;
#else
constexpr bool kHasFloatRows = false;
#endif

#if defined(ONNXC_FLOAT_ROWS)
#define ONNXC_FMA4(S0, S1, S2, S3, A, B0, B1, B2, B3)                   \
  "vfma.f32 " #S0 ", " #A ", " #B0 "\n\tvfma.f32 " #S1 ", " #A ", " #B1 \
  "\n\t"                                                                \
  "vfma.f32 " #S2 ", " #A ", " #B2 "\n\tvfma.f32 " #S3 ", " #A ", " #B3 "\n\t"
#define ONNXC_LOW4(S0, S1, S2, S3, A) ONNXC_FMA4(S0, S1, S2, S3, A, s24, s25, s26, s27)
#define ONNXC_HALF8               \
  ONNXC_LOW4(s0, s1, s2, s3, s28) \
  ONNXC_LOW4(s8, s9, s10, s11, s29) ONNXC_LOW4(s16, s17, s18, s19, s30)
#define ONNXC_OTHER8              \
  ONNXC_LOW4(s4, s5, s6, s7, s28) \
  ONNXC_LOW4(s12, s13, s14, s15, s29) ONNXC_LOW4(s20, s21, s22, s23, s30)
#define ONNXC_STEP_3_8                                                          \
  "vldmia %[w]!, {s24-s27}\n\tvldmia %[x0]!, {s28}\n\tvldmia %[x1]!, {s29}\n\t" \
  "vldmia %[x2]!, {s30}\n\t" ONNXC_HALF8 "vldmia %[w]!, {s24-s27}\n\t" ONNXC_OTHER8

// Adds the products of `depth` numbers of three rows with a panel of eight columns to the sums:
// each in the order of the numbers.
[[gnu::always_inline]] inline void add_float_rows(float (&all)[3][8], const float* const (&x)[3],
                                                  const float* w, Index depth) {
  if (depth <= 0) return;
  float* const sums = all[0];
  const float *x0 = x[0], *x1 = x[1], *x2 = x[2];
  const float* const end = w + 8 * depth;
  // Two numbers at a time; of an odd number one more, at which the loop is entered.
  asm volatile(
      "vldmia %[sums], {s0-s23}\n\t"
      "tst %[depth], #1\n\t"
      "bne 2f\n"
      "1:\n\t"                 //
      ONNXC_STEP_3_8 "2:\n\t"  //
      ONNXC_STEP_3_8
      "cmp %[w], %[end]\n\t"
      "bne 1b\n\t"
      "vstmia %[sums], {s0-s23}"
      : [x0] "+r"(x0), [x1] "+r"(x1), [x2] "+r"(x2), [w] "+r"(w)
      : [sums] "r"(sums), [end] "r"(end), [depth] "r"(depth)
      : "cc", "memory", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11",
        "s12", "s13", "s14", "s15", "s16", "s17", "s18", "s19", "s20", "s21", "s22", "s23", "s24",
        "s25", "s26", "s27", "s28", "s29", "s30");
}

#define ONNXC_ROW_5_4(X, S0, S1, S2, S3)                         \
  "vldmia " X "!, {s28-s29}\n\t" ONNXC_LOW4(S0, S1, S2, S3, s28) \
      ONNXC_FMA4(S0, S1, S2, S3, s29, s20, s21, s22, s23)

// The same of five rows and four of the eight columns.
[[gnu::always_inline]] inline void add_float_rows(float (&all)[5][4], const float* const (&x)[5],
                                                  const float* w, Index depth) {
  float* const sums = all[0];
  const float *x0 = x[0], *x1 = x[1], *x2 = x[2], *x3 = x[3], *x4 = x[4];
  const float* const end = w + 8 * (depth & ~Index{1});
  if (w != end)
    asm volatile(
      "vldmia %[sums], {s0-s19}\n"
      "1:\n\t"
      "vldmia %[w], {s24-s27}\n\t"
      "add %[w], %[w], #32\n\t"
      "vldmia %[w], {s20-s23}\n\t"
      "add %[w], %[w], #32\n\t"  //
      ONNXC_ROW_5_4("%[x0]", s0, s1, s2, s3) ONNXC_ROW_5_4("%[x1]", s4, s5, s6, s7)
          ONNXC_ROW_5_4("%[x2]", s8, s9, s10, s11) ONNXC_ROW_5_4("%[x3]", s12, s13, s14, s15)
              ONNXC_ROW_5_4("%[x4]", s16, s17, s18, s19)
      "cmp %[w], %[end]\n\t"
      "bne 1b\n\t"
      "vstmia %[sums], {s0-s19}"
      : [x0] "+r"(x0), [x1] "+r"(x1), [x2] "+r"(x2), [x3] "+r"(x3), [x4] "+r"(x4), [w] "+r"(w)
      : [sums] "r"(sums), [end] "r"(end)
      : "cc", "memory", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11",
        "s12", "s13", "s14", "s15", "s16", "s17", "s18", "s19", "s20", "s21", "s22", "s23", "s24",
        "s25", "s26", "s27", "s28", "s29");
  if (depth % 2 == 0) return;
  const float* const last[5] = {x0, x1, x2, x3, x4};
#pragma GCC unroll 5
  for (int i = 0; i < 5; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) all[i][j] += *last[i] * w[j];
  }
}
#undef ONNXC_ROW_5_4
#undef ONNXC_STEP_3_8
#undef ONNXC_OTHER8
#undef ONNXC_HALF8
#undef ONNXC_LOW4
#undef ONNXC_FMA4
#else
template <class... Operands>
void add_float_rows(Operands&...) {}
#endif
#undef ONNXC_FLOAT_ROWS

}  // namespace onnxc

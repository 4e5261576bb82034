// select.hpp - comparisons of scalars and vectors, and the choice between two values by their
// result.
//
// Kernels compare vectors of floats here only: for MVE (Cortex-M55) g++ 12 joins the results of two
// comparisons wrongly, and clang 14 loses NaN. There, select compares and chooses by the two
// instructions that exist for it.
#pragma once

#include <cstdint>
#include <type_traits>

namespace onnxc {

// a is a scalar or a vector, b the same or, if a is a vector, a scalar for all lanes. What a
// comparison gives is for select alone: a bool of scalars, a mask of vectors, or what is to be
// compared.
template <class A, class B>
[[gnu::always_inline]] inline auto greater_than(A a, B b) {
  return a > b;
}
template <class A, class B>
[[gnu::always_inline]] inline auto less_than(A a, B b) {
  return a < b;
}
template <class A, class B>
[[gnu::always_inline]] inline auto equal_to(A a, B b) {
  return a == b;
}
// Of a value and itself: whether it is NaN.
template <class A, class B>
[[gnu::always_inline]] inline auto not_equal_to(A a, B b) {
  return a != b;
}

// a where the comparison holds, else b.
template <class M, class V>
[[gnu::always_inline]] inline V select(M comparison, V a, V b) {
  return comparison ? a : b;
}

#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
namespace mve_detail {

typedef float Floats __attribute__((vector_size(16)));

struct Greater {
  Floats a, b;
};
struct Equal {
  Floats a, b;
};
struct Different {
  Floats a, b;
};

// x - 0 is x for every x.
[[gnu::always_inline]] inline Floats all_lanes(float x) { return x - Floats{}; }

}  // namespace mve_detail

// The processor's "less" holds for NaN, its "greater" does not.
[[gnu::always_inline]] inline mve_detail::Greater greater_than(mve_detail::Floats a,
                                                               mve_detail::Floats b) {
  return {a, b};
}
[[gnu::always_inline]] inline mve_detail::Greater greater_than(mve_detail::Floats a, float b) {
  return {a, mve_detail::all_lanes(b)};
}
[[gnu::always_inline]] inline mve_detail::Greater less_than(mve_detail::Floats a,
                                                            mve_detail::Floats b) {
  return {b, a};
}
[[gnu::always_inline]] inline mve_detail::Greater less_than(mve_detail::Floats a, float b) {
  return {mve_detail::all_lanes(b), a};
}
[[gnu::always_inline]] inline mve_detail::Equal equal_to(mve_detail::Floats a,
                                                         mve_detail::Floats b) {
  return {a, b};
}
[[gnu::always_inline]] inline mve_detail::Different not_equal_to(mve_detail::Floats a,
                                                                 mve_detail::Floats b) {
  return {a, b};
}

// Clang has no name for the predicate register, so there its content is kept.
#if defined(__clang__)
#define ONNXC_COMPARE_AND_SELECT(relation)                                                   \
  std::uint32_t kept;                                                                        \
  asm("vmrs %1, p0\n\tvcmp.f32 " relation ", %q2, %q3\n\tvpsel %q0, %q4, %q5\n\tvmsr p0, %1" \
      : "=&w"(chosen), "=&r"(kept)                                                           \
      : "w"(m.a), "w"(m.b), "w"(a), "w"(b))
#else
#define ONNXC_COMPARE_AND_SELECT(relation)                     \
  asm("vcmp.f32 " relation ", %q1, %q2\n\tvpsel %q0, %q3, %q4" \
      : "=w"(chosen)                                           \
      : "w"(m.a), "w"(m.b), "w"(a), "w"(b)                     \
      : "p0")
#endif

template <class V>
[[gnu::always_inline]] inline V select(mve_detail::Greater m, V a, V b) {
  V chosen;
  ONNXC_COMPARE_AND_SELECT("gt");
  return chosen;
}
template <class V>
[[gnu::always_inline]] inline V select(mve_detail::Equal m, V a, V b) {
  V chosen;
  ONNXC_COMPARE_AND_SELECT("eq");
  return chosen;
}
template <class V>
[[gnu::always_inline]] inline V select(mve_detail::Different m, V a, V b) {
  V chosen;
  ONNXC_COMPARE_AND_SELECT("ne");
  return chosen;
}
#undef ONNXC_COMPARE_AND_SELECT
#endif

// As select, but a scalar computes f() only where the comparison holds.
template <class M, class F, class V>
[[gnu::always_inline]] inline V select_computed(M comparison, F f, V b) {
  if constexpr (std::is_same_v<M, bool>) {
    return comparison ? f() : b;
  } else {
    return select(comparison, f(), b);
  }
}

}  // namespace onnxc

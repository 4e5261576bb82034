// vector.hpp - vectors of numbers: by the extensions of GCC and Clang, or in plain C++.
#pragma once

#include <cstdint>
#include <type_traits>

#include "runtime_min/types.hpp"

// Vectors of 8 bytes of 32-bit x86 are in the registers of x87, which g++ does not clear before
// it returns floats there: without MMX they are not.
#if !defined(ONNXC_NO_VECTOR_EXTENSIONS) && \
    ((!defined(__GNUC__) && !defined(__clang__)) || (defined(__i386__) && defined(__MMX__)))
#define ONNXC_NO_VECTOR_EXTENSIONS
#endif
#if defined(ONNXC_NO_VECTOR_EXTENSIONS)
// Kernels take the instructions that these promise by extensions.
#undef __SSE__
#undef __SSE2__
#undef __SSSE3__
#undef __SSE4_1__
#undef __AVX__
#undef __AVX2__
#undef __AVX512F__
#undef __AVX512BW__
#undef __AVX512VL__
#undef __AVX512VNNI__
#undef __AVXVNNI__
#undef __F16C__
#define ONNXC_INLINE_LAMBDA
#else
#define ONNXC_INLINE_LAMBDA __attribute__((always_inline))
#endif

namespace onnxc {

#if defined(ONNXC_NO_VECTOR_EXTENSIONS)

template <class T, int N>
struct Vector {
  T lane[static_cast<std::size_t>(N)];

  T& operator[](int i) { return lane[i]; }
  const T& operator[](int i) const { return lane[i]; }
};

// What comparisons give.
template <int N>
struct Mask {
  bool lane[static_cast<std::size_t>(N)];
};

template <class S>
using if_scalar = std::enable_if_t<std::is_arithmetic_v<S>, int>;

#define ONNXC_OPERATOR(op)                                                          \
  template <class T, int N>                                                         \
  inline Vector<T, N> operator op(Vector<T, N> a, const Vector<T, N>& b) {          \
    for (int i = 0; i < N; ++i) a.lane[i] = static_cast<T>(a.lane[i] op b.lane[i]); \
    return a;                                                                       \
  }                                                                                 \
  template <class T, int N, class S, if_scalar<S> = 0>                              \
  inline Vector<T, N> operator op(Vector<T, N> a, S b) {                            \
    const T scalar = static_cast<T>(b);                                             \
    for (int i = 0; i < N; ++i) a.lane[i] = static_cast<T>(a.lane[i] op scalar);    \
    return a;                                                                       \
  }                                                                                 \
  template <class T, int N, class S, if_scalar<S> = 0>                              \
  inline Vector<T, N> operator op(S a, Vector<T, N> b) {                            \
    const T scalar = static_cast<T>(a);                                             \
    for (int i = 0; i < N; ++i) b.lane[i] = static_cast<T>(scalar op b.lane[i]);    \
    return b;                                                                       \
  }                                                                                 \
  template <class T, int N, class B>                                                \
  inline Vector<T, N>& operator op##=(Vector<T, N>& a, const B& b) {                \
    return a = a op b;                                                              \
  }
ONNXC_OPERATOR(+)
ONNXC_OPERATOR(-)
ONNXC_OPERATOR(*)
ONNXC_OPERATOR(/)
ONNXC_OPERATOR(&)
ONNXC_OPERATOR(|)
ONNXC_OPERATOR(^)
ONNXC_OPERATOR(<<)
ONNXC_OPERATOR(>>)
#undef ONNXC_OPERATOR

#define ONNXC_COMPARISON(op)                                                   \
  template <class T, int N>                                                    \
  inline Mask<N> operator op(const Vector<T, N>& a, const Vector<T, N>& b) {   \
    Mask<N> mask;                                                              \
    for (int i = 0; i < N; ++i) mask.lane[i] = a.lane[i] op b.lane[i];         \
    return mask;                                                               \
  }                                                                            \
  template <class T, int N, class S, if_scalar<S> = 0>                         \
  inline Mask<N> operator op(const Vector<T, N>& a, S b) {                     \
    Mask<N> mask;                                                              \
    for (int i = 0; i < N; ++i) mask.lane[i] = a.lane[i] op static_cast<T>(b); \
    return mask;                                                               \
  }
ONNXC_COMPARISON(<)
ONNXC_COMPARISON(>)
ONNXC_COMPARISON(==)
ONNXC_COMPARISON(!=)
#undef ONNXC_COMPARISON

template <class T, int N>
inline Vector<T, N> operator-(Vector<T, N> a) {
  for (T& x : a.lane) x = static_cast<T>(-x);
  return a;
}
template <class T, int N>
inline Vector<T, N> operator~(Vector<T, N> a) {
  for (T& x : a.lane) x = static_cast<T>(~x);
  return a;
}

template <class T, int N>
inline Vector<T, N> select(const Mask<N>& comparison, Vector<T, N> a, const Vector<T, N>& b) {
  for (int i = 0; i < N; ++i)
    if (!comparison.lane[i]) a.lane[i] = b.lane[i];
  return a;
}

#else

template <class T, int N>
struct VectorOf {
  typedef T type __attribute__((vector_size(sizeof(T) * N)));
};
template <class T, int N>
using Vector = typename VectorOf<T, N>::type;

#endif

// The numbers of v as those of the vector To.
template <class To, class From>
[[gnu::always_inline]] inline To convert_lanes(From v) {
#if defined(ONNXC_NO_VECTOR_EXTENSIONS)
  To to;
  int i = 0;
  for (auto& x : to.lane) x = static_cast<std::decay_t<decltype(x)>>(v.lane[i++]);
  return to;
#else
  return __builtin_convertvector(v, To);
#endif
}

// Lanes of a, numbered from 0 on, and of b, numbered from where those of a end.
template <int... I, class V>
[[gnu::always_inline]] inline V shuffle_lanes(V a, V b) {
#if defined(ONNXC_NO_VECTOR_EXTENSIONS)
  constexpr int n = sizeof...(I);
  return {(I < n ? a[I % n] : b[I % n])...};
#elif defined(__clang__) || __GNUC__ >= 12
  return __builtin_shufflevector(a, b, I...);
#else
  constexpr int n = sizeof...(I);
  using Number =
      std::conditional_t<sizeof(V) == n, std::int8_t,
                         std::conditional_t<sizeof(V) == 2 * n, std::int16_t, std::int32_t>>;
  return __builtin_shuffle(a, b, Vector<Number, n>{I...});
#endif
}

// Fetches the cache line at p, which may be outside of anything.
template <int WRITE = 0, int LOCALITY = 3>
[[gnu::always_inline]] inline void prefetch(const void* p) {
#if defined(ONNXC_NO_VECTOR_EXTENSIONS)
  static_cast<void>(p);
#else
  __builtin_prefetch(p, WRITE, LOCALITY);
#endif
}

// Hints to the processor that this is a spin loop.
inline void wait_a_moment() {
#if defined(ONNXC_NO_VECTOR_EXTENSIONS)
#elif defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__ARM_ARCH_7A__)
  asm volatile("yield");
#endif
}

}  // namespace onnxc

// simd.hpp - float vectors as wide as the target's registers.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>

#include "runtime_min/select.hpp"
#include "runtime_min/types.hpp"
#include "runtime_min/vector.hpp"

namespace onnxc {

// Vector types of N floats, and the unsigned integers that hold their bits. N = 1 is a plain float,
// so code written for vectors is also the scalar code.
template <int N>
struct VecOf {
  using type = Vector<float, N>;
  using bits = Vector<std::uint32_t, N>;
};
template <>
struct VecOf<1> {
  using type = float;
  using bits = std::uint32_t;
};

// Lanes and registers of the widest float unit that the target macros promise.
#if defined(__AVX512F__)
constexpr int kLanes = 16;
constexpr int kVectorRegisters = 32;
#elif defined(__AVX__)
constexpr int kLanes = 8;
constexpr int kVectorRegisters = 16;
#elif defined(ONNXC_NO_VECTOR_EXTENSIONS)
constexpr int kLanes = 1;
constexpr int kVectorRegisters = 16;
#elif defined(__aarch64__)
constexpr int kLanes = 4;
constexpr int kVectorRegisters = 32;
#elif defined(__SSE2__) || defined(__ARM_NEON) || defined(__VSX__) || defined(__wasm_simd128__)
constexpr int kLanes = 4;
constexpr int kVectorRegisters = 16;
#elif defined(__riscv_vector) && (defined(__clang__) || __GNUC__ >= 14)
constexpr int kLanes = 4;
constexpr int kVectorRegisters = 32;
#elif defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
constexpr int kLanes = 4;
constexpr int kVectorRegisters = 8;
#else
constexpr int kLanes = 1;
constexpr int kVectorRegisters = 32;
#endif

// Whether code is in the small flash memory of a microcontroller, where fewer instances of a kernel
// are worth some time.
#if defined(__ARM_FEATURE_MVE)
constexpr bool kLittleCode = true;
#elif defined(ONNXC_NO_VECTOR_EXTENSIONS)
constexpr bool kLittleCode = false;
#else
constexpr bool kLittleCode = kLanes == 1;
#endif

// A vector wider than kLanes changes the calling convention (-Wpsabi), so code asks for at most
// kLanes.
template <int N>
using vec = typename VecOf<N>::type;
using vfloat = vec<kLanes>;

template <class V>
constexpr int lanes = static_cast<int>(sizeof(V) / sizeof(float));

template <class V>
using bits_t = typename VecOf<lanes<V>>::bits;

// p needs the alignment of float only. A single float is read and written as such: by way of
// memcpy compilers for Arm take it through a general register.
template <class V = vfloat>
[[gnu::always_inline]] inline V load(const float* p) {
  if constexpr (lanes<V> == 1) {
    return *p;
  } else {
    V v;
    std::memcpy(&v, p, sizeof v);
    return v;
  }
}

template <class V>
[[gnu::always_inline]] inline void store(float* p, V v) {
  if constexpr (lanes<V> == 1) {
    *p = v;
  } else {
    std::memcpy(p, &v, sizeof v);
  }
}

// The first COUNT lanes of a vector from memory, zeros in the others. Put together in registers: a
// vector that is read from where its parts were just stored waits for all stores before it.
template <class V, int COUNT, int... I>
[[gnu::always_inline]] inline V load_lanes(const float* p, std::integer_sequence<int, I...>) {
  return V{(I < COUNT ? p[I] : 0.0f)...};
}
template <class V, int COUNT>
[[gnu::always_inline]] inline V load_first(const float* p) {
  if constexpr (COUNT >= lanes<V>) {
    return load<V>(p);
  } else {
#if defined(__AVX512F__)
    if constexpr (lanes<V> == 16) return __builtin_ia32_loadups512_mask(p, V{}, (1u << COUNT) - 1u);
#endif
    return load_lanes<V, COUNT>(p, std::make_integer_sequence<int, lanes<V>>{});
  }
}

// Stores the first COUNT lanes of v.
template <int COUNT, class V>
[[gnu::always_inline]] inline void store_first(float* p, V v) {
  if constexpr (COUNT >= lanes<V>) {
    store(p, v);
  } else {
#if defined(__AVX512F__)
    if constexpr (lanes<V> == 16) return __builtin_ia32_storeups512_mask(p, v, (1u << COUNT) - 1u);
#endif
    std::memcpy(p, &v, static_cast<std::size_t>(COUNT) * sizeof(float));
  }
}

// x - 0 is x for every x, also for -0 and NaN, so compilers reduce it to one broadcast.
template <class V = vfloat>
[[gnu::always_inline]] inline V broadcast(float x) {
  return x - V{};
}

// Every lane times x.
template <class V>
[[gnu::always_inline]] inline V times(V v, float x) {
#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
  // By the general register, for which compilers make a vector.
  if constexpr (lanes<V> == 4) {
    V product;
    asm("vmul.f32 %q0, %q1, %2" : "=w"(product) : "w"(v), "r"(x));
    return product;
  }
#endif
  return broadcast<V>(x) * v;
}

template <class V>
[[gnu::always_inline]] inline bits_t<V> to_bits(V v) {
  bits_t<V> b;
  std::memcpy(&b, &v, sizeof b);
  return b;
}

template <class V>
[[gnu::always_inline]] inline V from_bits(bits_t<V> b) {
  V v;
  std::memcpy(&v, &b, sizeof v);
  return v;
}

// a as a vector of another type with the same bits.
template <class To, class From>
[[gnu::always_inline]] inline To same_bits(From a) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &a, sizeof to);
  return to;
}

// v, or the bound where v is below or above it; NaN stays. One instruction of x86, which g++ does
// not find for vectors.
template <class V>
[[gnu::always_inline]] inline V not_below(V v, V bound) {
#if defined(__SSE__) && !defined(__clang__)
#if defined(__AVX512F__)
  if constexpr (lanes<V> == 16)
    return __builtin_ia32_maxps512_mask(bound, v, v, static_cast<short>(-1), 4);
#endif
#if defined(__AVX__)
  if constexpr (lanes<V> == 8) return __builtin_ia32_maxps256(bound, v);
#endif
  if constexpr (lanes<V> == 4) return __builtin_ia32_maxps(bound, v);
#endif
  return select(less_than(v, bound), bound, v);
}

template <class V>
[[gnu::always_inline]] inline V not_above(V v, V bound) {
#if defined(__SSE__) && !defined(__clang__)
#if defined(__AVX512F__)
  if constexpr (lanes<V> == 16)
    return __builtin_ia32_minps512_mask(bound, v, v, static_cast<short>(-1), 4);
#endif
#if defined(__AVX__)
  if constexpr (lanes<V> == 8) return __builtin_ia32_minps256(bound, v);
#endif
  if constexpr (lanes<V> == 4) return __builtin_ia32_minps(bound, v);
#endif
  return select(greater_than(v, bound), bound, v);
}

// The larger and the smaller of two values; NaN if either is NaN, as ONNX asks for.
template <class V>
[[gnu::always_inline]] inline V max(V a, V b) {
  const V larger = select(greater_than(a, b), a, b);
  return select(not_equal_to(a, a), a, larger);
}

template <class V>
[[gnu::always_inline]] inline V min(V a, V b) {
  const V smaller = select(less_than(a, b), a, b);
  return select(not_equal_to(a, a), a, smaller);
}

template <class V>
[[gnu::always_inline]] inline V abs(V v) {
  return from_bits<V>(to_bits(v) & 0x7fffffffu);
}

// The magnitude of v with the sign bit of s.
template <class V>
[[gnu::always_inline]] inline V copysign(V v, V s) {
  return from_bits<V>((to_bits(v) & 0x7fffffffu) | (to_bits(s) & 0x80000000u));
}

// Combines all lanes of v pairwise with op; op takes float and every vector type.
template <class V, class Op>
[[gnu::always_inline]] inline float reduce(V v, Op op) {
  if constexpr (lanes<V> == 1) {
    return v;
#if defined(__ARM_FEATURE_MVE)
  } else if constexpr (lanes<V> == 4) {
    // There are no vectors of two floats; the same pairs, as scalars.
    float lane[4];
    std::memcpy(lane, &v, sizeof v);
    return op(op(lane[0], lane[2]), op(lane[1], lane[3]));
#endif
  } else {
    using Half = vec<lanes<V> / 2>;
    Half halves[2];
    std::memcpy(halves, &v, sizeof v);
    return reduce(op(halves[0], halves[1]), op);
  }
}

template <class V>
[[gnu::always_inline]] inline float horizontal_sum(V v) {
  return reduce(v, [](auto a, auto b) { return a + b; });
}

// NaN if any lane is NaN.
template <class V>
[[gnu::always_inline]] inline float horizontal_max(V v) {
  return reduce(v, [](auto a, auto b) { return max(a, b); });
}

// The lanes of a and b interleaved: a0 b0 a1 b1 ... In two vectors, zipped[0] and zipped[1].
template <class V, int... I>
[[gnu::always_inline]] inline void zip_lanes(V a, V b, V (&zipped)[2],
                                             std::integer_sequence<int, I...>) {
  constexpr int n = lanes<V>;
  zipped[0] = shuffle_lanes<(I % 2 * n + I / 2)...>(a, b);
  zipped[1] = shuffle_lanes<(I % 2 * n + I / 2 + n / 2)...>(a, b);
}
template <class V>
[[gnu::always_inline]] inline void zip(V a, V b, V (&zipped)[2]) {
  zip_lanes(a, b, zipped, std::make_integer_sequence<int, lanes<V>>{});
}

// Calls f(i, V{}) for consecutive i: for each whole vector of `count` floats, then for each float
// left over.
template <class F>
[[gnu::always_inline]] inline void for_lanes(Index count, F f) {
  Index i = 0;
  for (Index left = count / kLanes; left > 0; --left, i += kLanes) f(i, vfloat{});
  // Two bounds: without the constant one GCC 12 warns of overflow in this loop where it never runs.
  for (int u = 0; u < kLanes - 1 && i < count; ++u, ++i) f(i, 0.0f);
}

// f(i, V{}) for the vector of N floats that still fits in `count`, then for half of it, down to
// four.
template <int N, class F>
[[gnu::always_inline]] inline void for_narrower_lanes(Index& i, Index count, const F& f) {
  if constexpr (N >= 4) {
    if (count - i >= N) {
      f(i, vec<N>{});
      i += N;
    }
    for_narrower_lanes<N / 2>(i, count, f);
  }
}

// As for_lanes, with narrower vectors before the single floats: for an f that costs more than what
// it loads, and gives the same for each element whatever its neighbours are.
template <class F>
[[gnu::always_inline]] inline void for_all_lanes(Index count, F f) {
  Index i = 0;
  for (Index left = count / kLanes; left > 0; --left, i += kLanes) f(i, vfloat{});
#if !defined(__OPTIMIZE_SIZE__)
  for_narrower_lanes<kLanes / 2>(i, count, f);
#endif
  for (int u = 0; u < kLanes - 1 && i < count; ++u, ++i) f(i, 0.0f);
}

}  // namespace onnxc

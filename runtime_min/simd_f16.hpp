// simd_f16.hpp - vectors of float16 and bfloat16, widened to floats as they are loaded.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "runtime_min/half.hpp"
#include "runtime_min/simd.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

namespace half_float_detail {

template <int N>
struct HalfFloatsOf {
  using bits = Vector<std::uint16_t, N>;
#if defined(__aarch64__)
  using floats = Vector<__fp16, N>;
#endif
#if defined(__F16C__)
  using shorts = Vector<short, (N < 8 ? 8 : N)>;
#endif
};

template <int N, class H>
[[gnu::always_inline]] inline typename VecOf<N>::bits load_bits(const H* p) {
  typename HalfFloatsOf<N>::bits halves;
  std::memcpy(&halves, p, sizeof halves);
  return convert_lanes<typename VecOf<N>::bits>(halves);
}

#if defined(__AVX512F__)
// Compilers differ in the type of the mask.
[[gnu::always_inline]] inline vec<16> widen_sixteen(HalfFloatsOf<16>::shorts halves) {
#if defined(__clang__)
  constexpr unsigned short all = 0xffff;
#else
  constexpr short all = -1;
#endif
  constexpr int as_set = 4;  // rounding, of which there is none
  return __builtin_ia32_vcvtph2ps512_mask(halves, vec<16>{}, all, as_set);
}
#endif

// Any target: half_value of half.hpp, lane by lane.
template <class V>
[[gnu::always_inline]] inline V half_values(bits_t<V> h) {
  const bits_t<V> sign = (h & 0x8000u) << 16, magnitude = (h & 0x7fffu) << 13;
  const bits_t<V> normal = magnitude + (112u << 23);
  const V least = from_bits<V>(bits_t<V>{} + (113u << 23));
  const bits_t<V> denormal = to_bits(from_bits<V>(magnitude + (113u << 23)) - least);
  const bits_t<V> finite = select(less_than(magnitude, 0x00800000u), denormal, normal);
  return from_bits<V>(sign |
                      select(less_than(magnitude, 0x0f800000u), finite, magnitude + (224u << 23)));
}

}  // namespace half_float_detail

// As load of floats; p needs the alignment of 16 bits only.
template <class V = vfloat>
[[gnu::always_inline]] inline V load(const float16* p) {
  constexpr int n = lanes<V>;
  if constexpr (n == 1) {
    return static_cast<float>(*p);
  } else {
#if defined(__F16C__)
    typename half_float_detail::HalfFloatsOf<n>::shorts halves{};
    std::memcpy(&halves, p, 2 * static_cast<std::size_t>(n));
#if defined(__AVX512F__)
    if constexpr (n == 16) return half_float_detail::widen_sixteen(halves);
#endif
    if constexpr (n == 8) return __builtin_ia32_vcvtph2ps256(halves);
    if constexpr (n == 4) return __builtin_ia32_vcvtph2ps(halves);
#elif defined(__aarch64__)
    if constexpr (n == 4) {
      typename half_float_detail::HalfFloatsOf<n>::floats halves;
      std::memcpy(&halves, p, sizeof halves);
      return convert_lanes<V>(halves);
    }
#endif
    return half_float_detail::half_values<V>(half_float_detail::load_bits<n>(p));
  }
}

template <class V = vfloat>
[[gnu::always_inline]] inline V load(const bfloat16* p) {
  if constexpr (lanes<V> == 1) {
    return static_cast<float>(*p);
  } else {
    return from_bits<V>(half_float_detail::load_bits<lanes<V>>(p) << 16);
  }
}

}  // namespace onnxc

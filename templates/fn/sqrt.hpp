// sqrt.hpp - square root.
#pragma once

#include "templates/fn/real.hpp"

namespace onnxc {
namespace fn {

// std::sqrt may set errno, so compilers call it lane by lane unless they are told otherwise; the
// instructions give the same bits.
template <class T>
[[gnu::always_inline]] inline T sqrt(T x) {
#if defined(__clang__)
#if __has_builtin(__builtin_elementwise_sqrt)
  return __builtin_elementwise_sqrt(x);
#endif
#else
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<vec<16>, T>)
    return __builtin_ia32_sqrtps512_mask(x, x, static_cast<short>(-1), 4);
#endif
#if defined(__AVX__)
  if constexpr (std::is_same_v<vec<8>, T>) return __builtin_ia32_sqrtps256(x);
#endif
#if defined(__SSE__)
  if constexpr (std::is_same_v<vec<4>, T>) return __builtin_ia32_sqrtps(x);
#endif
#endif
  return each_lane(x, [](auto v) { return std::sqrt(v); });
}

}  // namespace fn
}  // namespace onnxc

// self_test.hpp - compares results with recorded ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace onnxc {

// How far a result may be away: absolute + relative * |want|; for integers, absolute.
struct Nearness {
  float relative, absolute;
};

template <class T>
bool is_near(T got, T want, Nearness near) {
  if constexpr (std::is_class_v<T>) {
    return is_near(static_cast<float>(got), static_cast<float>(want), near);
  } else if constexpr (std::is_floating_point_v<T>) {
    if (got == want || (got != got && want != want)) return true;
    const T away = got > want ? got - want : want - got;
    const T size = want < 0 ? -want : want;
    return away <= static_cast<T>(near.absolute) + static_cast<T>(near.relative) * size &&
           size - size == 0;
  } else {
    const auto a = static_cast<std::uint64_t>(got), b = static_cast<std::uint64_t>(want);
    return (got > want ? a - b : b - a) <= static_cast<std::uint64_t>(near.absolute);
  }
}

// The index of the first of n elements that is wrong; n: none is.
template <class T>
std::size_t first_wrong(const T* got, const T* want, std::size_t n, Nearness near) {
  std::size_t i = 0;
  while (i < n && is_near(got[i], want[i], near)) ++i;
  return i;
}

}  // namespace onnxc

// numbers.hpp - loops that serve floats in vectors and numbers of other types one by one.
#pragma once

#include <type_traits>

#include "runtime_min/simd.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

// f(i, V{}) for vectors of floats and what is left of them, or for single numbers of another type.
template <class T, class F>
[[gnu::always_inline]] inline void for_numbers(Index count, F f) {
  if constexpr (std::is_same_v<T, float>) {
    for_lanes(count, f);
  } else {
    for (Index i = 0; i < count; ++i) f(i, T{});
  }
}

template <class V, class T>
[[gnu::always_inline]] inline V number_at(const T* x) {
  if constexpr (std::is_same_v<T, float>) {
    return load<V>(x);
  } else {
    return *x;
  }
}

template <class V, class T>
[[gnu::always_inline]] inline void put_number(T* x, V v) {
  if constexpr (std::is_same_v<T, float>) {
    store(x, v);
  } else {
    *x = v;
  }
}

// A sum in a vector of floats and in single numbers.
template <class T>
struct LaneSum {
  vfloat lanes = {};
  T rest{};

  template <class V>
  [[gnu::always_inline]] void add(V v) {
    if constexpr (std::is_same_v<V, vfloat>) {
      lanes += v;
    } else {
      rest += v;
    }
  }
  T total() const { return static_cast<T>(horizontal_sum(lanes)) + rest; }
};

}  // namespace onnxc

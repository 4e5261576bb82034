// where.hpp - the second operand where the first is true, else the third.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "runtime_min/types.hpp"

namespace onnxc {
namespace fn {

namespace where_detail {

template <std::size_t kSize>
struct Bits;
template <>
struct Bits<4> {
  using type = std::uint32_t;
};
template <>
struct Bits<8> {
  using type = std::uint64_t;
};

}  // namespace where_detail

// Reals are chosen by their bits: of `?:` compilers make a branch, which data like masks mislead.
template <class T>
inline T where(bool condition, T x, T y) {
  if constexpr (std::is_floating_point_v<T>) {
    using U = typename where_detail::Bits<sizeof(T)>::type;
    U first, second;
    std::memcpy(&first, &x, sizeof x);
    std::memcpy(&second, &y, sizeof y);
    const U mask = static_cast<U>(0) - static_cast<U>(condition);
    const U chosen = (first & mask) | (second & ~mask);
    std::memcpy(&x, &chosen, sizeof x);
    return x;
  } else {
    return condition ? x : y;
  }
}

}  // namespace fn
}  // namespace onnxc

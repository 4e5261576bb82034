// bit_cast.hpp - the same bits as another type of the same width.
#pragma once

#include <cstring>
#include <type_traits>

#include "runtime_min/types.hpp"

namespace onnxc {

// x, y: [count].  s: count.
template <class S, class T, class Y>
void bit_cast(S s, const T* x, Y* y) {
  static_assert(sizeof(T) == sizeof(Y), "the types differ in width");
  for (Index i = 0; i < s.count; ++i) {
    if constexpr (std::is_same_v<Y, bool>) {
      unsigned char byte;  // a bool may hold 0 and 1 only
      std::memcpy(&byte, x + i, 1);
      y[i] = byte != 0;
    } else {
      std::memcpy(y + i, x + i, sizeof(Y));
    }
  }
}

}  // namespace onnxc

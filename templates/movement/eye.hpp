// eye.hpp - ones on a diagonal.
#pragma once

#include "runtime_min/types.hpp"

namespace onnxc {

// y: [rows, cols].  s: rows, cols, diagonal.
template <class S, class T>
void eye(S s, T* y) {
  for (Index r = 0; r < s.rows; ++r)
    for (Index c = 0; c < s.cols; ++c) *y++ = static_cast<T>(c - r == s.diagonal ? 1 : 0);
}

}  // namespace onnxc

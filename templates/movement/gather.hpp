// gather.hpp - picks slices along one axis by index.
#pragma once

#include <cstring>

#include "runtime_min/types.hpp"

namespace onnxc {

// x: [outer, extent, inner], indices: [count], y: [outer, count, inner]. Negative indices count
// from the end. Nothing is written when one is outside.  s: outer, extent, inner, count.
template <class S, class T, class I>
Status gather(S s, const T* x, const I* indices, T* y) {
  for (Index k = 0; k < s.count; ++k) {
    const auto i = static_cast<std::int64_t>(indices[k]);
    if (i < -s.extent || i >= s.extent) return Status::bad_index;
  }
  if (s.count == 0 || s.inner == 0) return Status::ok;
  for (Index o = 0; o < s.outer; ++o, x += s.extent * s.inner)
    for (Index k = 0; k < s.count; ++k, y += s.inner) {
      const auto i = static_cast<Index>(indices[k]);
      const T* from = x + (i < 0 ? i + s.extent : i) * s.inner;
      if (s.inner == 1)
        *y = *from;
      else if (s.inner > 0)
        std::memcpy(y, from, static_cast<std::size_t>(s.inner) * sizeof(T));
    }
  return Status::ok;
}

}  // namespace onnxc

// max_unpool.hpp - puts the results of a MaxPool back where they came from, zeroes elsewhere.
#pragma once

#include <cstdint>

#include "runtime_min/types.hpp"
#include "templates/convolution/window.hpp"

namespace onnxc {

// x, indices: [count]; an index counts in the box `grid`, which is at the origin of the box `out`
// that y fills. s: count, grid[R], out[R].
template <std::size_t R, class S, class T>
Status max_unpool(S s, const T* x, const std::int64_t* indices, T* y) {
  const Index grid_size = box_size<R>(s.grid), out_size = box_size<R>(s.out);
  for (Index i = 0; i < out_size; ++i) y[i] = static_cast<T>(0.0f);
  for (Index k = 0; k < s.count; ++k) {
    if (indices[k] < 0 || indices[k] >= grid_size) return Status::bad_index;
    Index rest = static_cast<Index>(indices[k]), at = 0, step = 1;
    bool inside = true;
    for (std::size_t i = R; i-- > 0;) {
      const Index p = rest % s.grid[i];
      rest /= s.grid[i];
      inside = inside && p < s.out[i];
      at += p * step;
      step *= s.out[i];
    }
    if (inside) y[at] = x[k];
  }
  return Status::ok;
}

}  // namespace onnxc

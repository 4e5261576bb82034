// one_hot.hpp - one-hot rows of indices: the on value at the index, the off value elsewhere.
#pragma once

#include <cstdint>

#include "runtime_min/half.hpp"
#include "runtime_min/types.hpp"
#include "templates/fn/cast.hpp"

namespace onnxc {

// indices: [outer, inner], values: off and on, y: [outer, depth, inner]. Indices from -depth on
// count from the end; those outside give "off" everywhere.  s: outer, depth, inner.
template <class S, class I, class T>
void one_hot(S s, const I* indices, const T* values, T* y) {
  const T off = values[0], on = values[1];
  for (Index o = 0; o < s.outer; ++o, indices += s.inner, y += s.depth * s.inner)
    for (Index i = 0; i < s.inner; ++i) {
      std::int64_t at = fn::cast<std::int64_t>(static_cast<compute_t<I>>(indices[i]));
      if (at < 0 && at >= -s.depth) at += s.depth;
      for (Index d = 0; d < s.depth; ++d) y[d * s.inner + i] = d == at ? on : off;
    }
}

}  // namespace onnxc

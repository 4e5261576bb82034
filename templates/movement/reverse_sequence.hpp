// reverse_sequence.hpp - reverses the first elements of each sequence of a batch.
#pragma once

#include <cstdint>

#include "runtime_min/types.hpp"

namespace onnxc {

// x, y: [first, second, inner], time and batch in either order; lengths: [batch].  s: first,
// second, inner, batch_first.
template <class S, class T>
Status reverse_sequence(S s, const T* x, const std::int64_t* lengths, T* y) {
  const Index batch = s.batch_first ? s.first : s.second, time = s.batch_first ? s.second : s.first;
  for (Index b = 0; b < batch; ++b)
    if (lengths[b] < 0 || lengths[b] > time) return Status::bad_index;
  const Index time_step = s.batch_first ? s.inner : s.second * s.inner;
  const Index batch_step = s.batch_first ? s.second * s.inner : s.inner;
  for (Index b = 0; b < batch; ++b)
    for (Index t = 0; t < time; ++t) {
      const Index from = t < lengths[b] ? static_cast<Index>(lengths[b]) - 1 - t : t;
      for (Index i = 0; i < s.inner; ++i)
        y[b * batch_step + t * time_step + i] = x[b * batch_step + from * time_step + i];
    }
  return Status::ok;
}

}  // namespace onnxc

// dropout.hpp - drops elements at random and scales up the rest.
#pragma once

#include "runtime_min/half.hpp"
#include "runtime_min/types.hpp"
#include "templates/random/random.hpp"

namespace onnxc {

// ratio: [1], or null for a half; training: [1], x, y: [count], mask: [count] or null, true where
// an element stays. A ratio outside of [0, 1] is an error.  s: count, seed, stream.
template <class S, class T, class R>
Status dropout(S s, const T* x, const R* ratio, const bool* training, T* y, bool* mask) {
  using C = compute_t<T>;
  float drop = 0.5f;
  if (ratio != nullptr) drop = static_cast<float>(static_cast<compute_t<R>>(*ratio));
  if (!*training) drop = 0.0f;
  if (!(drop >= 0.0f && drop <= 1.0f)) return Status::bad_value;
  const C scale = C{1} / (C{1} - static_cast<C>(drop));
  for (Index i = 0; i < s.count; ++i) {
    const bool stays = random_pair<S, float>(s, i).u >= drop;
    if (!stays)
      y[i] = static_cast<T>(C{});
    else if (drop > 0.0f)
      y[i] = static_cast<T>(static_cast<C>(x[i]) * scale);
    else
      y[i] = x[i];
    if (mask) mask[i] = stays;
  }
  return Status::ok;
}

}  // namespace onnxc

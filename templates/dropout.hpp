// dropout.hpp - passes the data on, where nothing is dropped.
#pragma once

#include "runtime_min/half.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

// ratio: [1] or null, training: [1], x, y: [count], mask: [count] or null. Random dropping is not
// available.  s: count.
template <class S, class T, class R>
Status dropout(S s, const T* x, const R* ratio, const bool* training, T* y, bool* mask) {
  const bool none = ratio && static_cast<compute_t<R>>(*ratio) == compute_t<R>{};
  if (*training && !none) return Status::bad_value;
  for (Index i = 0; i < s.count; ++i) {
    y[i] = x[i];
    if (mask) mask[i] = true;
  }
  return Status::ok;
}

}  // namespace onnxc

// check_shape.hpp - a shape that only the run knows is the one the code was generated for.
#pragma once

#include "runtime_min/types.hpp"
#include "templates/fn/cast.hpp"

namespace onnxc {

// wanted: [count]. Entry i must be expected[i] or also[i]; with may_infer one of them may be -1.
// s: count, expected[count], also[count], may_infer.
template <class S, class T>
Status check_shape(S s, const T* wanted) {
  Index inferred = 0;
  for (Index i = 0; i < s.count; ++i) {
    const std::int64_t w = fn::cast<std::int64_t>(static_cast<compute_t<T>>(wanted[i]));
    if (w == -1 && s.may_infer)
      ++inferred;
    else if (w != s.expected[i] && w != s.also[i])
      return Status::bad_shape;
  }
  return inferred <= 1 ? Status::ok : Status::bad_shape;
}

}  // namespace onnxc

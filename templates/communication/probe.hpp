// probe.hpp - hands a tensor to a user callback.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime_min/extent.hpp"

namespace onnxc {

// Who gets a tensor, its name in the model and ONNX's number of its element type.
template <class Callback>
struct Probed {
  const Callback* callback;  // null: none
  const char* name;
  std::int32_t type;
};

// x: [shape], in the order of its axes. s: shape.
template <int kRank, class S, class Callback, class T>
void probe(S s, const Probed<Callback>& to, const T* x) {
  if (to.callback == nullptr) return;
  std::int64_t dims[kRank > 0 ? kRank : 1] = {};
  for (Index axis = 0; axis < kRank; ++axis) dims[axis] = static_cast<std::int64_t>(s.shape[axis]);
  to.callback->call(to.callback->context, to.name, to.type, x, dims, kRank);
}

}  // namespace onnxc

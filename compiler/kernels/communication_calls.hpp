// communication_calls.hpp - shapes passed to the kernels of this folder; the members are documented
// with the kernels.
#pragma once

#include "compiler/kernels/shape_struct.hpp"

namespace onnxc {

template <class N>
struct MessageShape {
  N device, tag, count;
};

template <class N>
struct ProbeShape {
  ListOf<N> shape;
};

template <class N>
struct AllReduceShape {
  N count, operation, type, place, tag;
  ListOf<N> group;
};

}  // namespace onnxc

// control_flow_calls.hpp - shapes passed to the kernels of this folder; the members are documented
// with the kernels.
#pragma once

#include "compiler/kernels/shape_struct.hpp"

namespace onnxc {

template <class N>
struct BeamStepShape {
  N batch, beams, vocabulary, length, capacity, end, pad;
  bool early;
};

template <class N>
struct EndBeamsShape {
  N batch, beams, length, capacity, pad;
};

}  // namespace onnxc

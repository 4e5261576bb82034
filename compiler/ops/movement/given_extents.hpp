// For operators that read the dimensions of their result from an input.
#pragma once

#include "compiler/kernels/movement_calls.hpp"
#include "compiler/ops/lower.hpp"

namespace onnxc::ops {

// Reports the contents of input i as the dimensions `reported` at run time, unless the compiler
// knows them. None may exceed `most`, unless that is -1; with a total >= 0 they must add up to it.
inline void lower_given_extents(Lower& n, std::size_t i, const Shape& reported,
                                const Dim& most = -1, const Dim& total = -1) {
  if (n.constant(i) || n.input_value(i).extent) return;
  n.call("given_extents",
         GivenExtentsShape<Dim>{product(n.shape(i)), rank_of(reported), most, total})
      .in(i)
      .extents(reported);
}

}  // namespace onnxc::ops

// A run-time check for operators whose output shape is an input: the model declared the shape that
// the code was generated for, and the run may bring another one.
#pragma once

#include "compiler/ops/lower.hpp"

namespace onnxc::ops {

// Does nothing when input `i` is a constant. Entries may also be those of `also`; one may be -1
// when `may_infer`.
inline void check_shape(Lower& n, std::size_t i, const Shape& expected, const Shape& also,
                        bool may_infer) {
  if (!n.has_input(i) || n.constant(i) || expected.empty()) return;
  Call call = n.call("check_shape");
  call.dim("count", static_cast<std::int64_t>(expected.size()));
  call.dims("expected", expected).dims("also", also).flag("may_infer", may_infer);
  call.in(i).fallible();
}

}  // namespace onnxc::ops

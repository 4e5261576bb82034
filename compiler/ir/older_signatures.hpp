// What older versions of the standard's operators take, where that is less than the newest one.
#pragma once

#include "compiler/ir/op.hpp"

namespace onnxc::ops {

// Only its inputs; null if that version takes what the newest one does.
const Signature* older_signature(const Op& op, int version);

}  // namespace onnxc::ops

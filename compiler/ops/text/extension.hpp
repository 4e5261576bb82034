// Operators of onnxruntime-extensions.
#pragma once

#include "compiler/ir/op.hpp"

namespace onnxc::ops {

constexpr Op extension(Op row) { return only_version(row, "ai.onnx.contrib"); }

}  // namespace onnxc::ops

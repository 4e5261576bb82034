// Tensors that hold several attention heads: [batch, heads, length, width] or [batch, length, hidden].
#pragma once

#include "compiler/ops/node_view.hpp"

namespace onnxc::ops {

struct Heads {
  Dim batch, heads, length, width;
  bool rank3 = false;
};

// `count` heads for the rank 3 form, which needs it; ignored otherwise.
Heads read_heads(const NodeView& n, std::size_t input, const std::string& name,
                 std::optional<std::int64_t> count, const std::string& attribute);

}  // namespace onnxc::ops

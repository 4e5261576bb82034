// Tensors that hold several attention heads: [batch, heads, length, width] or [batch, length,
// hidden].
#pragma once

#include "compiler/ops/node_view.hpp"

namespace onnxc::ops {

struct Heads {
  Dim batch, heads, length, width;
  bool rank3 = false;
};

// `count` is the number of heads for rank 3, which needs it; rank 4 ignores it.
Heads read_heads(const NodeView& n, std::size_t input, const std::string& name,
                 std::optional<std::int64_t> count, const std::string& attribute);

}  // namespace onnxc::ops

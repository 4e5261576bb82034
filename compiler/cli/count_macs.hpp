// Multiply-accumulate operations of a typed graph.
#pragma once

#include <cstdint>

#include "compiler/ir/graph.hpp"

namespace onnxc {

struct MacCount {
  std::int64_t macs = 0;
  bool complete = true;  // false: a shape was not known, or a node runs an unknown number of times
};

// Convolutions, matrix products and recurrent layers; everything else counts nothing.
MacCount count_macs(const Graph& graph);

}  // namespace onnxc

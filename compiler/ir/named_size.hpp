// The sizes of a model's inputs by the names that a caller gives them.
#pragma once

#include <optional>
#include <string>

#include "compiler/ir/graph.hpp"

namespace onnxc {

// An open size is a symbol, a fixed one an axis of an input.
struct NamedSize {
  std::optional<std::string> symbol;
  Value* input = nullptr;
  std::size_t axis = 0;
};

// NAME is what the model calls the size, or INPUT:AXIS; of two sizes it is the one that the model
// calls so. Nullopt if the inputs have none.
std::optional<NamedSize> find_size(const Graph& graph, const std::string& name);

}  // namespace onnxc

// Names of sizes. A model may give a size any name; a symbol is that name, in quotes unless it is a
// word, so that expressions of symbols can be printed and read back, and no two names share one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "compiler/ir/graph.hpp"

namespace onnxc {

std::string symbol_of_name(const std::string& name);
// Whether it stands for a name of the model.
bool has_name(const std::string& symbol);
// The name in the model; of a symbol that has none, the symbol.
std::string name_of_symbol(const std::string& symbol);

// Sizes that have no name in the model, "?#1", as generated code calls them: "n1".
std::string readable_sizes(std::string expression);

// "VALUE:AXIS"; nullopt if a text has another form.
struct NamedAxis {
  std::string value;
  std::size_t axis = 0;
};
std::optional<NamedAxis> named_axis(const std::string& text);

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

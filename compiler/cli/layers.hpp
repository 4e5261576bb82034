// The nodes of a model as people look at them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/graph.hpp"

namespace onnxc {

struct Layer {
  const Node* node = nullptr;
  int depth = 0;                // in subgraphs
  std::string name;             // of the node, or of what it makes; of a part "NODE/OUTPUT"
  std::string op;               // "Conv-11"; of a part without the version
  std::int64_t parameters = 0;  // elements of the constants that it is the first to read
  std::optional<Dim> macs;      // none: not known, or not counted
  std::optional<double> share;  // of the work of all layers; of open sizes taken as 1
  std::optional<Dim> bytes;     // of its outputs; none: not known before it runs
};

// Those of subgraphs follow the node that they belong to.
std::vector<Layer> layers_of(const Graph& graph);

// A table to standard output.
void print_layers(const std::vector<Layer>& layers);

// The graph in text form, one node a line, without the contents of its constants.
std::string node_list(const Graph& graph);

}  // namespace onnxc

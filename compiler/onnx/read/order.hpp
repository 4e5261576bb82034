// The order in which the nodes of a graph are read.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "compiler/onnx/read/scope.hpp"

namespace onnxc::reader {

struct NodeOrder {
  std::vector<int> indices;  // every node once, each after the nodes that it reads
  std::string unsorted;      // "node \"b\" uses \"t\" before node \"a\" makes it"; "" when sorted
  // Constant nodes whose output a later Constant node makes again. Tools that edit models leave
  // such pairs behind; the later one counts, as in ONNX Runtime.
  std::set<int> superseded;
  std::string cycle;  // "a -> b -> a"; the nodes concerned come last, in file order
};

// The standard requires sorted nodes; some tools write them unsorted. A sorted list is unchanged,
// and an unsorted one changes as little as possible. Fills frame.makers.
NodeOrder node_order(Scope& frame);

// A node as messages name it: its quoted name, or its index.
std::string node_title(const pb::NodeProto& node, std::int64_t index);

}  // namespace onnxc::reader

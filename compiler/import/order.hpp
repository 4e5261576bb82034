// The order in which the nodes of a graph are read.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "compiler/import/scope.hpp"

namespace onnxc::reader {

struct NodeOrder {
  std::vector<int> indices;  // every node once, each after those whose results it uses
  std::string unsorted;      // "node \"b\" uses \"t\" before node \"a\" makes it"; "" when sorted
  // Constant nodes whose output a later Constant node makes again. Tools that edit models leave
  // such pairs behind and mean the later one, which is also what ONNX Runtime takes.
  std::set<int> superseded;
  std::string cycle;  // "a -> b -> a"; the nodes concerned come last, in file order
};

// The standard wants nodes sorted; some tools write them otherwise. A sorted list is left alone,
// and another one changes as little as possible. Fills frame.makers.
NodeOrder node_order(Frame& frame);

// A node as messages call it: its quoted name, or its index.
std::string node_title(const pb::NodeProto& node, std::int64_t index);

}  // namespace onnxc::reader

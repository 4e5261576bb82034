// Operator versions at import: which version a node has, and its upgrade to the newest version.
#pragma once

#include <memory>

#include "compiler/ir/graph.hpp"
#include "compiler/onnx/read/opsets.hpp"

namespace onnxc::reader {

// Sets node.op and node.version from op_type and domain. Throws OpError when the operator is
// unknown or not part of the opset.
void resolve_operator(Node& node, const OpsetImports& opsets);

// Checks the node against its operator, upgrades it, checks again, and appends it with the nodes
// that the upgrade added around it. A bad node is reported with `place` before its description, and
// dropped.
void add_upgraded(std::unique_ptr<Node> node, Graph& graph, const Location& place,
                  Context& context);

}  // namespace onnxc::reader

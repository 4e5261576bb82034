// Operator versions at import: which version a node has, and its upgrade to the newest version.
#pragma once

#include <functional>
#include <memory>
#include <string>

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

// Checks of a node against the facts of its operator. Each reports every problem it finds.

// Called with the id, the field ("attribute \"axis\"") and the message of one problem.
using ReportProblem = std::function<void(const std::string& id, const std::string& field,
                                         const std::string& message)>;

// Names, kinds and presence of attributes, for the version `node.version` of the operator; before
// the upgrade. True without problems.
bool check_attributes(const Node& node, const ReportProblem& report);

// Whether the inputs are there that older versions require too, and an output; before the upgrade,
// which reads them.
bool check_ports_of_older(const Node& node, const ReportProblem& report);

// Counts of inputs and outputs, and required ones that are left out; after the upgrade.
bool check_arity(const Node& node, const ReportProblem& report);

}  // namespace onnxc::reader

// Checks a node against the facts of its operator. Each check reports every problem it finds.
#pragma once

#include <functional>
#include <string>

#include "compiler/ir/graph.hpp"

namespace onnxc {

// Called with the id, the field ("attribute \"axis\"") and the message of one problem.
using ReportProblem = std::function<void(const std::string& id, const std::string& field,
                                         const std::string& message)>;

// Names, kinds and presence of attributes, for the version `node.version` of the operator; before
// the upgrade. True without problems.
bool check_attributes(const Node& node, const ReportProblem& report);

// Whether the inputs are there that older versions require too; before the upgrade, which reads
// them.
bool check_inputs_of_older(const Node& node, const ReportProblem& report);

// Counts of inputs and outputs, and required ones that are left out; after the upgrade.
bool check_arity(const Node& node, const ReportProblem& report);

}  // namespace onnxc

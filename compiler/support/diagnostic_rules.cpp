// The table of diagnostics.
#include "compiler/support/diagnostic_rules.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace onnxc {
namespace {

constexpr DiagnosticRule kRules[] = {
    {"bad-arity", "error",
     "A node, or a call of a function, has too many or too few inputs or outputs.", "IR: Nodes"},
    {"bad-attribute", "error",
     "An attribute has the wrong type, or is given twice or in two forms.", "IR: Attributes"},
    {"bad-binding", "error",
     "A binding of training_info names no initializer, no output, or one of another type.",
     "IR: Training related information"},
    {"bad-dim", "error", "A --dim option, or the data given, do not fit the model.", ""},
    {"bad-function", "error", "A function of the model has no name, or a body that cannot be read.",
     "IR: Functions"},
    {"bad-graph-call", "error",
     "A GraphCall stands outside of an algorithm, or calls another graph than the inference graph.",
     "Operators: GraphCall of ONNX 1.7"},
    {"bad-input", "error",
     "What --fix-input names is no input without a default value, or the numbers do not fit it.",
     ""},
    {"bad-ir-version", "error, warning",
     "ir_version is missing or unknown, or older than what the model uses.", "IR: IR versioning"},
    {"bad-name", "error", "A value that needs a name has none.", "IR: Names within a graph"},
    {"bad-opset", "error",
     "opset_import is missing, names a domain twice, or asks for an unknown version.",
     "IR: Operator sets"},
    {"bad-tensor", "error", "The data of a tensor do not fit its type and shape.", "IR: Tensors"},
    {"bad-training-info", "error",
     "A training_info has no algorithm, bindings without a graph, or an initialization with "
     "inputs.",
     "IR: Training related information"},
    {"bad-type", "error", "A value has no type, or one that it cannot have.",
     "IR: Standard data types"},
    {"cannot-prepare", "error", "onnxc prepare cannot add training_info to this model.", ""},
    {"cycle", "error", "Nodes depend on their own results.", "IR: Nodes"},
    {"division-by-zero", "warning", "An integer is divided by a constant 0.",
     "Operators: Div, Mod"},
    {"duplicate-function", "error", "Two functions have the same domain, name and overload.",
     "IR: Functions"},
    {"duplicate-name", "error, warning", "Two values have the same name.",
     "IR: Graphs, single static assignment"},
    {"duplicate-node-name", "warning", "Two nodes of a graph have the same name.",
     "IR: Names within a graph"},
    {"dynamic-dim", "error", "A size has to be known: fix or bound it with --dim.", ""},
    {"early-functions", "warning", "The model has functions, which its ir_version does not know.",
     "IR: Functions"},
    {"external-data", "error",
     "External data are outside the folder of the model, or do not fit it.", "External data"},
    {"flash-limit", "error", "Weights and code are larger than --flash-limit.", ""},
    {"gradient-stops", "warning",
     "A derivative is zero everywhere, because only operators without one lead to it.",
     "Operators: Gradient"},
    {"initializer-not-input", "warning",
     "Before ir_version 4 every initializer has to be an input.", "IR: Graphs"},
    {"invalid-node", "error", "A node contradicts the definition of its operator.", "Operators"},
    {"io", "error", "With --io int8: no input or output is quantised inside the model.", ""},
    {"memory", "error", "With --memory: a model that cannot be divided, or not enough memory.", ""},
    {"metadata", "warning", "A key of metadata_props is given twice.", "IR: Optional metadata"},
    {"missing-attribute", "error", "A required attribute is missing.", "Operators"},
    {"missing-input", "error", "A required input is left out.", "Operators"},
    {"missing-shape", "warning", "An input or output of the model has no shape.", "IR: Graphs"},
    {"no-gradient", "error", "A derivative is asked for that onnxc does not have.",
     "Operators: Gradient"},
    {"no-heap", "error", "With --no-heap: memory of this size has no bound.", ""},
    {"no-training-info", "error", "With --train: the model has no training_info.", ""},
    {"not-onnx", "error", "The file is not an ONNX model.", ""},
    {"not-sorted", "warning", "A node stands before one whose result it reads.",
     "IR: Nodes, topological order"},
    {"open-size", "note", "A size is open, and bench takes one for it.", ""},
    {"overflow", "error", "A size does not fit 64 bits.", ""},
    {"ram-limit", "error", "Arena, stack and state are larger than --ram-limit.", ""},
    {"recursive-function", "error", "Functions call each other in a circle.", "IR: Functions"},
    {"repeated-input", "warning",
     "An algorithm lists an input of the inference graph again; it is taken as the same.",
     "IR: Training related information"},
    {"removed-operator", "error", "The operator no longer exists in the version that is imported.",
     "Operators"},
    {"selftest", "error", "With --selftest: the data do not fit the model, or cannot be built in.",
     ""},
    {"steps", "error", "With --steps: a run cannot go on from its arena alone.", ""},
    {"too-deep", "error", "Subgraphs, functions or types are nested too deeply.", ""},
    {"too-large", "error", "The model exceeds a limit on its size.", ""},
    {"too-new-operator", "error", "The operator came later than the version that is imported.",
     "Operators"},
    {"training-info", "note", "The model can be trained, and --train is not given.", ""},
    {"type-mismatch", "error", "Arguments that must have one type have different ones.",
     "Operators"},
    {"undefined-name", "error", "A name is read that nothing defines.", "IR: Names within a graph"},
    {"unknown-attribute", "error", "The operator has no attribute of this name in this version.",
     "Operators"},
    {"unknown-operator", "error", "The domain has no operator of this name, or is not known.",
     "Operators"},
    {"unknown-type", "error", "The type of a value cannot be inferred.", ""},
    {"unnamed-graph", "warning", "A graph has no name.", "IR: Graphs"},
    {"unsupported", "error", "The standard allows this, onnxc does not support it.", ""},
    {"unsupported-type", "error", "The operator does not take this element type.", "Operators"},
    {"zipmap", "error", "With --zipmap tensor: no output of the model comes from a ZipMap.", ""},
};

}  // namespace

std::span<const DiagnosticRule> diagnostic_rules() { return kRules; }

const DiagnosticRule& diagnostic_rule(std::string_view id) {
  const auto* const rule =
      std::find_if(std::begin(kRules), std::end(kRules),
                   [&](const DiagnosticRule& candidate) { return candidate.id == id; });
  if (rule == std::end(kRules)) throw std::logic_error("unknown diagnostic: " + std::string(id));
  return *rule;
}

}  // namespace onnxc

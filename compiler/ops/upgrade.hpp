// Rewriting of a node of an old operator version to the newest one, at import.
#pragma once

#include "compiler/ir/editor.hpp"
#include "compiler/ops/node_view.hpp"

namespace onnxc::ops {

// An operator of ai.onnx, or "domain::name".
const Op& named(const std::string& op_type);

// Works on one node. Nodes made with emit() come before it in the graph; to() changes the node
// itself. Nothing reads the version after the upgrade.
class Upgrade : public NodeView {
 public:
  Upgrade(Node& node, Graph& graph, int version)
      : NodeView(node), mutable_node_(&node), editor_(graph, before), version_(version) {
    editor_.set_provenance(node);
  }

  int version() const { return version_; }  // since_version that the model uses
  Node& mutable_node() const { return *mutable_node_; }
  Graph& graph() const { return editor_.graph(); }
  GraphEditor& editor() { return editor_; }  // adds nodes before this one

  void set(const std::string& attribute, Attribute value);
  void remove(const std::string& attribute);
  void set_input(std::size_t i, Value* value);  // grows the list with left-out inputs
  // Moves an `ints`, `int` or `float` attribute, if it is there, to input i as a constant.
  void attribute_to_input(const std::string& attribute, std::size_t i);
  // Replaces the operator, keeping inputs, outputs and attributes.
  void to(const std::string& op_type);

  using NodeView::constant;
  Value* constant(Tensor tensor);
  // A new node of the newest version before this one; returns its outputs.
  Value* emit(const std::string& op_type, const std::vector<Value*>& inputs,
              Attributes attributes = {});
  std::vector<Value*> emit_all(const std::string& op_type, const std::vector<Value*>& inputs,
                               std::size_t outputs, Attributes attributes = {});
  // Replaces this node's output i by a new value, which emit_after() may process further. The last
  // emit_after() writes the original output.
  Value* detach_output(std::size_t i);
  void emit_after(const std::string& op_type, const std::vector<Value*>& inputs, Value* output,
                  Attributes attributes = {});

  // Made by emit and emit_after, for the importer to splice in.
  GraphEditor::Nodes before, after;

 private:
  Node* mutable_node_;
  GraphEditor editor_;
  int version_;
};

// For operators that compute in float32 and read and write any floating-point type: float16 and
// bfloat16 as float32, other types as they are; null stays null. Types are not known yet.
Value* to_float32(Upgrade& n, Value* x);
// Casts output 0 of the node to the element type of `like`.
void cast_output_like(Upgrade& n, Value* like);

// For activations that an optimiser fused into the node before them: removes the attributes
// activation, activation_alpha, _beta, _gamma and activation_params from the node and
// appends the operator that they name. The fusion pass may fuse it again.
void split_off_activation(Upgrade& n);

}  // namespace onnxc::ops

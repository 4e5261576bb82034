// Adds typed nodes at the position of a GraphEditor.
#include "compiler/passes/autodiff/graph_builder.hpp"

#include "compiler/ir/op.hpp"
#include "compiler/passes/autodiff/reverse_mode.hpp"
#include "compiler/passes/infer/infer_node.hpp"

namespace onnxc::passes {
namespace {

// A builder at the end of a body, with the editor that it needs.
class BodyBuilder : public GraphBuilder {
 public:
  BodyBuilder(std::unique_ptr<GraphEditor> editor, PassContext& context, std::vector<Value*> cuts)
      : GraphBuilder(*editor, context, std::move(cuts)), editor_(std::move(editor)) {}

 private:
  std::unique_ptr<GraphEditor> editor_;
};

}  // namespace

std::vector<Value*> GraphBuilder::add(const ops::Op& op, const std::vector<Value*>& inputs,
                                      std::size_t outputs, Attributes attributes) {
  const bool named = like_ && !like_->outputs.empty() && like_->outputs[0];
  std::vector<Value*> results;
  for (std::size_t i = 0; i < outputs; ++i)
    results.push_back(editor_.value({}, "grad_" + (named ? like_->outputs[0]->name : "value")));
  Node& node = editor_.emit_as(results, op, inputs, std::move(attributes));
  node.op_type = op.name;
  node.domain = op.domain;
  node.version = ops::signature(op).versions.back();
  for (std::string& source : node.sources)
    if (source.rfind("gradient of ", 0) != 0) source = "gradient of " + source;
  infer_node(node, editor_.graph(), context_);
  made_.insert(results.begin(), results.end());
  return results;
}

Value* GraphBuilder::constant(Tensor tensor) {
  return editor_.constant(std::move(tensor), "const");
}

Value* GraphBuilder::extra_output(const Node& node, std::size_t i) {
  Node& forward = const_cast<Node&>(node);
  Graph& home = *forward.graph;
  if (forward.outputs.size() <= i) forward.outputs.resize(i + 1);
  Value* added = home.add_value(home.fresh_name(forward.outputs[0]->name));
  forward.outputs[i] = added;
  added->producer = &forward;
  infer_node(forward, home, context_);
  return added;
}

std::unique_ptr<ops::NodeBuilder> GraphBuilder::inside(Graph& body) {
  auto builder =
      std::make_unique<BodyBuilder>(std::make_unique<GraphEditor>(body), context_, cuts_);
  if (like_) builder->stand_for(*like_);
  return builder;
}

void GraphBuilder::stand_for(const Node& node) {
  like_ = &node;
  editor_.stand_for(node);
}

std::vector<Value*> GraphBuilder::pull_back(const std::vector<ops::Seed>& seeds,
                                            const std::vector<Value*>& xs) {
  const Node* const outer = like_;
  auto gradients = passes::pull_back(*this, seeds, xs, cuts_);
  if (outer) stand_for(*outer);
  return gradients;
}

}  // namespace onnxc::passes

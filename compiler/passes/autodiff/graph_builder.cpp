// Adds typed nodes at the position of a GraphEditor.
#include "compiler/passes/autodiff/autodiff.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "compiler/ir/graph.hpp"
#include "compiler/ir/op.hpp"
#include "compiler/passes/infer/infer.hpp"

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

// Inference makes new symbols for extents that are known only at run time; the first ones are in
// use.
void restore_types(Node& node, const std::vector<Type>& types, std::size_t count) {
  std::map<std::string, Dim> old;
  for (std::size_t i = 0; i < count; ++i) {
    if (!node.outputs[i]) continue;
    const Type found = std::exchange(node.outputs[i]->type, types[i]);
    if (!found.has_rank() || !types[i].has_rank() || found.rank() != types[i].rank()) continue;
    for (std::size_t k = 0; k < found.rank(); ++k)
      if (const auto symbol = (*found.shape)[k].as_symbol()) old[*symbol] = (*types[i].shape)[k];
  }
  const auto lookup = [&](const std::string& symbol) {
    const auto it = old.find(symbol);
    return it == old.end() ? std::nullopt : std::optional(it->second);
  };
  for (std::size_t i = count; i < node.outputs.size(); ++i)
    if (Value* v = node.outputs[i]; v && v->type.has_rank())
      for (Dim& d : *v->type.shape) d = d.substitute(lookup);
}

}  // namespace

std::vector<Value*> GraphBuilder::add(const ops::Op& op, const std::vector<Value*>& inputs,
                                      std::size_t outputs, Attributes attributes) {
  const bool named = like_ && !like_->outputs.empty() && like_->outputs[0];
  auto results = editor_.emit_all(op, inputs, outputs, std::move(attributes),
                                  "grad_" + (named ? like_->outputs[0]->name : "value"));
  Node& node = *results.front()->producer;
  node.op_type = op.name;
  node.domain = op.domain;
  node.version = ops::signature(op).versions.back();
  for (std::string& source : node.sources)
    if (source.rfind("gradient of ", 0) != 0) source = "gradient of " + source;
  infer_node(node, editor_.graph(), context_);
  return results;
}

Value* GraphBuilder::constant(Tensor tensor) {
  return editor_.constant(std::move(tensor), "const");
}

Value* GraphBuilder::extra_output(const Node& node, std::size_t i) {
  Node& forward = const_cast<Node&>(node);
  Graph& home = *forward.graph;
  if (forward.outputs.size() <= i) forward.outputs.resize(i + 1);
  const auto named = std::find_if(forward.outputs.begin(), forward.outputs.end(),
                                  [](const Value* v) { return v != nullptr; });
  Value* added = home.add_value(home.fresh_name((*named)->name));
  forward.outputs[i] = added;
  added->producer = &forward;
  infer_node(forward, home, context_);
  return added;
}

std::vector<Value*> GraphBuilder::more_outputs(const Node& node, std::size_t count) {
  Node& forward = const_cast<Node&>(node);
  Graph& home = *forward.graph;
  const std::size_t old = forward.outputs.size();
  std::vector<Type> types;
  for (const Value* v : forward.outputs) types.push_back(v ? v->type : Type{});
  std::vector<Value*> added;
  for (std::size_t i = 0; i < count; ++i) {
    added.push_back(home.add_value(home.fresh_name("stack")));
    added.back()->producer = &forward;
    forward.outputs.push_back(added.back());
  }
  infer_node(forward, home, context_);
  restore_types(forward, types, old);
  return added;
}

std::unique_ptr<ops::NodeBuilder> GraphBuilder::inside(Graph& body) {
  // What the body reads from outside is differentiated outside.
  std::vector<Value*> cuts = captured_values(body);
  auto builder =
      std::make_unique<BodyBuilder>(std::make_unique<GraphEditor>(body), context_, std::move(cuts));
  if (like_) builder->set_provenance(*like_);
  return builder;
}

void GraphBuilder::set_provenance(const Node& node) {
  like_ = &node;
  editor_.set_provenance(node);
}

std::vector<Value*> GraphBuilder::vjp(const std::vector<ops::Cotangent>& cotangents,
                                      const std::vector<Value*>& xs) {
  const Node* const outer = like_;
  std::vector<Value*> needed;
  for (const ops::Cotangent& c : cotangents) needed.insert(needed.end(), {c.y, c.dy});
  settle(needed);
  auto gradients = passes::vjp(*this, cotangents, xs, cuts_);
  if (outer) set_provenance(*outer);
  return gradients;
}

}  // namespace onnxc::passes

// Reverse-mode differentiation of a part of a graph.
#pragma once

#include <unordered_set>
#include <vector>

#include "compiler/ir/editor.hpp"
#include "compiler/ir/graph.hpp"
#include "compiler/ops/node_builder.hpp"
#include "compiler/passes/pass.hpp"

namespace onnxc::passes {

using ValueSet = std::unordered_set<const Value*>;

// The nodes that `results` are computed by, operands first. Stops at the values in `cuts`;
// continues in the graphs around the one of `results`.
std::vector<Node*> slice_of(const std::vector<Value*>& results, const ValueSet& cuts);

// The tensors in whose place a Gradient of the graph or of a body in it puts others: what depends
// on them is computed again.
ValueSet substituted_values(const Graph& graph);

// Whether the value is one of these, or is computed from one.
bool depends_on(Value* v, const ValueSet& others);

// See NodeBuilder::vjp; `cuts` are constants of the differentiation. Contributions to a value
// are added from its last reader to its first. Throws OpError where an operator has no rule.
std::vector<Value*> vjp(ops::NodeBuilder& builder, const std::vector<ops::Cotangent>& cotangents,
                        const std::vector<Value*>& xs, const std::vector<Value*>& cuts);

class GraphBuilder : public ops::NodeBuilder {
 public:
  // `cuts`: values at which derivatives stop.
  GraphBuilder(GraphEditor& editor, PassContext& context, std::vector<Value*> cuts)
      : editor_(editor), context_(context), cuts_(std::move(cuts)) {
    settle({});
  }

  std::vector<Value*> add(const ops::Op& op, const std::vector<Value*>& inputs, std::size_t outputs,
                          Attributes attributes) override;
  Value* constant(Tensor tensor) override;
  Value* extra_output(const Node& node, std::size_t i) override;
  std::vector<Value*> more_outputs(const Node& node, std::size_t count) override;
  Graph& graph() const override { return editor_.graph(); }
  std::unique_ptr<ops::NodeBuilder> inside(Graph& body) override;
  void set_provenance(const Node& node) override;
  void settle(const std::vector<Value*>& results) final;
  std::vector<Value*> vjp(const std::vector<ops::Cotangent>& cotangents,
                          const std::vector<Value*>& xs) override;

 private:
  GraphEditor& editor_;
  PassContext& context_;
  std::vector<Value*> cuts_;
  const Node* like_ = nullptr;
  std::size_t settled_nodes_ = 0, settled_values_ = 0;
};

}  // namespace onnxc::passes

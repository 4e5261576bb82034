// A NodeBuilder that puts its nodes into a graph by a GraphEditor.
#pragma once

#include "compiler/ir/editor.hpp"
#include "compiler/ops/node_builder.hpp"
#include "compiler/passes/pass.hpp"

namespace onnxc::passes {

class GraphBuilder : public ops::NodeBuilder {
 public:
  // `cuts`: values past which no derivative goes.
  GraphBuilder(GraphEditor& editor, PassContext& context, std::vector<Value*> cuts)
      : editor_(editor), context_(context), cuts_(std::move(cuts)) {}

  std::vector<Value*> add(const ops::Op& op, const std::vector<Value*>& inputs, std::size_t outputs,
                          Attributes attributes) override;
  Value* constant(Tensor tensor) override;
  Value* extra_output(const Node& node, std::size_t i) override;
  std::vector<Value*> more_outputs(const Node& node, std::size_t count) override;
  Graph& graph() const override { return editor_.graph(); }
  std::unique_ptr<ops::NodeBuilder> inside(Graph& body) override;
  void stand_for(const Node& node) override;
  std::vector<Value*> pull_back(const std::vector<ops::Seed>& seeds,
                                const std::vector<Value*>& xs) override;

 private:
  GraphEditor& editor_;
  PassContext& context_;
  std::vector<Value*> cuts_;
  const Node* like_ = nullptr;
};

}  // namespace onnxc::passes

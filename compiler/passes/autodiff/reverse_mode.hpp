// Reverse-mode differentiation of a part of a graph.
#pragma once

#include "compiler/ops/node_builder.hpp"

namespace onnxc::passes {

// See NodeBuilder::pull_back; `cuts` are constants of the differentiation. Contributions to a value
// are added from its last reader to its first. Throws OpError where an operator has no rule.
std::vector<Value*> pull_back(ops::NodeBuilder& builder, const std::vector<ops::Seed>& seeds,
                              const std::vector<Value*>& xs, const std::vector<Value*>& cuts);

}  // namespace onnxc::passes

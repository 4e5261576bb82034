// Lowering of decision trees to the packed tables of templates/trees/tree_ensemble.hpp, or to code.
#pragma once

#include "compiler/ops/trees/tree_ensemble_model.hpp"

namespace onnxc::ops {

// scores: [rows, targets] of forest.arithmetic.
void lower_forest(Lower& n, const Forest& forest, BufferId scores);

// Scores, transformed, as output i of its own type.
void lower_forest_output(Lower& n, const Forest& forest, std::int64_t transform, std::size_t i);

}  // namespace onnxc::ops

// TreeEnsemble: decision trees whose leaves are listed separately, with tests of set membership.
#include "compiler/ops/trees/tree_ensemble_pack.hpp"

#include "templates/trees/tree_ensemble.hpp"

namespace onnxc::ops::tree_ensemble {
namespace {

// An attribute with one of `count` numbered choices.
std::int64_t choice(const NodeView& n, const std::string& attribute, std::int64_t count) {
  const std::int64_t v = n.attr_int(attribute);
  n.require(v >= 0 && v < count, "attribute \"" + attribute + "\"", "is {}", v);
  return v;
}

Forest forest_of(const NodeView& n) {
  Forest forest = read_forest_of_leaves(n);
  constexpr std::int64_t kOrder[] = {kTreesAverage, kTreesSum, kTreesMin, kTreesMax};
  forest.aggregate = kOrder[choice(n, "aggregate_function", 4)];
  return forest;
}

void infer(Infer& n) {
  choice(n, "post_transform", 5);
  const Forest forest = forest_of(n);
  std::optional<Shape> y;
  if (n.has_rank(0)) y = Shape{forest_rows(n, forest), forest.targets};
  n.output(0, n.elem(0), y);
}

void lower(Lower& n) { lower_forest_output(n, forest_of(n), choice(n, "post_transform", 5), 0); }

constexpr Op rows[] = {{
    .name = "TreeEnsemble",
    .domain = "ai.onnx.ml",
    .versions = "5",
    .inputs = "X:T",
    .outputs = "Y:T",
    .types = "T: float double float16",
    .attributes = "aggregate_function:int=1 leaf_targetids:ints! leaf_weights:tensor! "
                  "membership_values:tensor n_targets:int nodes_falseleafs:ints! "
                  "nodes_falsenodeids:ints! nodes_featureids:ints! nodes_hitrates:tensor "
                  "nodes_missing_value_tracks_true:ints nodes_modes:tensor! nodes_splits:tensor! "
                  "nodes_trueleafs:ints! nodes_truenodeids:ints! post_transform:int=0 "
                  "tree_roots:ints!",
    .infer = infer,
    .lower = lower,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::tree_ensemble

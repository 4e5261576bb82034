// TreeEnsembleRegressor: decision trees whose leaves vote for targets.
#include "compiler/ops/trees/tree_ensemble_pack.hpp"
#include "templates/trees/tree_ensemble.hpp"

namespace onnxc::ops::tree_ensemble_regressor {
namespace {

Forest forest_of(const NodeView& n) {
  Forest forest = read_forest(n, "target", 0);
  constexpr std::int64_t kOrder[] = {kTreesSum, kTreesAverage, kTreesMin, kTreesMax};
  forest.aggregate = kOrder[one_of(n, "aggregate_function", {"SUM", "AVERAGE", "MIN", "MAX"})];
  return forest;
}

void infer(Infer& n) {
  post_transform_of(n);
  const Forest forest = forest_of(n);
  std::optional<Shape> y;
  if (n.has_rank(0)) y = Shape{forest_rows(n, forest), forest.targets};
  n.output(0, ElemType::float32, y);
}

void lower(Lower& n) { lower_forest_output(n, forest_of(n), post_transform_of(n), 0); }

constexpr Op rows[] = {{
    .name = "TreeEnsembleRegressor",
    .domain = "ai.onnx.ml",
    .versions = "1 3 5",
    .deprecated = 5,
    .inputs = "X:T",
    .outputs = "Y:float",
    .types = "T: float double int64 int32",
    .attributes =
        "aggregate_function:string=SUM base_values:floats base_values_as_tensor:tensor@3- "
        "n_targets:int nodes_falsenodeids:ints nodes_featureids:ints nodes_hitrates:floats "
        "nodes_hitrates_as_tensor:tensor@3- nodes_missing_value_tracks_true:ints "
        "nodes_modes:strings nodes_nodeids:ints nodes_treeids:ints nodes_truenodeids:ints "
        "nodes_values:floats nodes_values_as_tensor:tensor@3- post_transform:string=NONE "
        "target_ids:ints target_nodeids:ints target_treeids:ints target_weights:floats "
        "target_weights_as_tensor:tensor@3-",
    .infer = infer,
    .lower = lower,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::tree_ensemble_regressor

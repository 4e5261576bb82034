// TreeEnsembleClassifier: decision trees whose leaves vote for classes.
#include <algorithm>

#include "compiler/kernels/ml_calls.hpp"
#include "compiler/ops/trees/tree_ensemble_pack.hpp"
#include "templates/ml/classify.hpp"

namespace onnxc::ops::tree_ensemble_classifier {
namespace {

// One or two classes of which only one gets votes: its score decides.
struct Pair {
  bool decides = false;
  std::int64_t rest = kRestOfOne;
  float threshold = 0;
};

struct Classifier {
  Forest forest;
  Tensor labels;
  Pair pair;
};

Pair pair_of(const Forest& forest) {
  Pair p;
  const bool zero = forest.votes.empty() || forest.votes[0].target == 0;
  const bool same = std::all_of(forest.votes.begin(), forest.votes.end(),
                                [&](const auto& v) { return v.target == forest.votes[0].target; });
  p.decides = forest.targets == 1 || (forest.targets == 2 && same);
  // Scores are probabilities when no vote is negative.
  const bool positive = std::all_of(forest.votes.begin(), forest.votes.end(),
                                    [](const auto& v) { return v.weight >= 0; });
  p.rest = !zero ? kRestZero : positive ? kRestOfOne : kRestNegated;
  p.threshold = positive && forest.targets == 2 ? 0.5f : 0.0f;
  return p;
}

Classifier classifier(const NodeView& n) {
  Classifier c;
  c.labels = class_labels(n, "classlabels_int64s");
  c.forest = read_forest(n, "class", c.labels.size());
  c.pair = pair_of(c.forest);
  // A base value of the class without votes makes it one of two.
  if (c.forest.targets == 2 && !c.forest.base.empty() &&
      (c.pair.rest == kRestZero || c.forest.base[1] != 0))
    c.pair.decides = false;
  return c;
}

void infer(Infer& n) {
  post_transform_of(n);
  const Classifier c = classifier(n);
  std::optional<Shape> y, z;
  if (n.has_rank(0)) {
    const Dim rows = forest_rows(n, c.forest);
    y = Shape{rows};
    z = Shape{rows, c.labels.size()};
  }
  n.output(0, c.labels.elem(), y);
  n.output(1, ElemType::float32, z);
}

// One class: its label where that is text, else 0 or 1.
Tensor pair_labels(const Tensor& labels) {
  if (labels.size() == 2) return labels;
  if (labels.elem() == ElemType::string)
    return strings_tensor({labels.strings()[0], labels.strings()[0]});
  return Tensor::ints(std::vector<std::int64_t>{0, 1});
}

// The forest as one with a single score.
void keep_one_score(Forest& forest) {
  forest.targets = 1;
  for (Forest::Vote& v : forest.votes) v.target = 0;
  if (!forest.base.empty()) forest.base.resize(1);
}

void lower(Lower& n) {
  Classifier c = classifier(n);
  const Dim rows = feature_rows(n).rows;
  if (c.pair.decides) keep_one_score(c.forest);
  const ElemType elem = c.forest.arithmetic;
  const BufferId scores = n.scratch(elem, rows * Dim(c.forest.targets), "scores");
  lower_forest(n, c.forest, scores);
  const Dim transform = post_transform_of(n);
  Call call =
      c.pair.decides
          ? n.call("classify_pair", ClassifyPairShape<Dim>{rows, transform, c.labels.size(),
                                                           c.pair.rest, c.pair.threshold})
                .read(scores)
          : n.call("classify", ClassifyShape<Dim>{rows, transform, c.forest.targets}).write(scores);
  call.read(n.constant(c.pair.decides ? pair_labels(c.labels) : c.labels, "labels"));
  call.out(0, c.labels.elem()).out(1, ElemType::float32);
}

constexpr Op rows[] = {{
    .name = "TreeEnsembleClassifier",
    .domain = "ai.onnx.ml",
    .versions = "1 3 5",
    .deprecated = 5,
    .inputs = "X:T1",
    .outputs = "Y:T2 Z:float",
    .types = "T1: float double int64 int32; T2: string int64",
    .attributes =
        "base_values:floats base_values_as_tensor:tensor@3- class_ids:ints class_nodeids:ints "
        "class_treeids:ints class_weights:floats class_weights_as_tensor:tensor@3- "
        "classlabels_int64s:ints classlabels_strings:strings nodes_falsenodeids:ints "
        "nodes_featureids:ints nodes_hitrates:floats nodes_hitrates_as_tensor:tensor@3- "
        "nodes_missing_value_tracks_true:ints nodes_modes:strings nodes_nodeids:ints "
        "nodes_treeids:ints nodes_truenodeids:ints nodes_values:floats "
        "nodes_values_as_tensor:tensor@3- post_transform:string=NONE",
    .infer = infer,
    .lower = lower,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::tree_ensemble_classifier

// Reads and validates the attributes of tree ensembles.
#include "compiler/ops/trees/tree_ensemble_model.hpp"

#include <algorithm>

#include "runtime_min/half.hpp"
#include "templates/trees/tree_ensemble.hpp"

namespace onnxc::ops {
namespace {

void check_length(const NodeView& n, const std::string& name, std::size_t length,
                  std::size_t wanted) {
  n.require(length == wanted, "attribute \"" + name + "\"", "{} entries for {}", length, wanted);
}

const std::vector<std::int64_t>& ints(const NodeView& n, const std::string& name,
                                      std::size_t wanted) {
  static const std::vector<std::int64_t> kNone;
  if (!n.has_attr(name)) check_length(n, name, 0, wanted);
  const auto& list = n.has_attr(name) ? n.attr_ints(name) : kNone;
  check_length(n, name, list.size(), wanted);
  return list;
}

std::vector<double> numbers_of(const Tensor& t) {
  std::vector<double> out;
  if (t.elem() == ElemType::float16) {
    for (const float16& v : t.as<float16>()) out.push_back(static_cast<double>(float{v}));
    return out;
  }
  out.reserve(static_cast<std::size_t>(t.size()));
  for (std::int64_t i = 0; i < t.size(); ++i) out.push_back(t.number(i));
  return out;
}

// Attributes of double need arithmetic in double.
std::vector<double> tensor_values(const NodeView& n, const std::string& name, Forest& forest) {
  const Tensor& t = n.attr_tensor(name);
  constexpr TypeMask kAllowed =
      mask_of(ElemType::float32) | mask_of(ElemType::float64) | mask_of(ElemType::float16);
  n.require(contains(kAllowed, t.elem()), "attribute \"" + name + "\"", "is of {}",
            info(t.elem()).onnx_name);
  if (t.elem() == ElemType::float64) forest.arithmetic = ElemType::float64;
  return numbers_of(t);
}

// `name`, or name_as_tensor.
std::vector<double> float_values(const NodeView& n, const std::string& name, Forest& forest) {
  const std::string as_tensor = name + "_as_tensor";
  std::vector<double> out, exact;
  if (n.has_attr(name)) out.assign(n.attr_floats(name).begin(), n.attr_floats(name).end());
  if (n.has_attr(as_tensor)) exact = tensor_values(n, as_tensor, forest);
  n.require(out.empty() || exact.empty(), "attribute \"" + as_tensor + "\"", "{} is there as well",
            name);
  return exact.empty() ? out : exact;
}

// ---- trees by ids ---------------------------------------------------------------------------

// The nodes of v1 and v3, found by tree id and node id.
class NodeIds {
 public:
  NodeIds(const NodeView& n, const std::vector<std::int64_t>& trees,
          const std::vector<std::int64_t>& ids)
      : n_(n), trees_(trees), ids_(ids), order_(ids.size()) {
    for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = i;
    std::sort(order_.begin(), order_.end(),
              [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
    for (std::size_t k = 1; k < order_.size(); ++k)
      n.require(key(order_[k - 1]) != key(order_[k]), "attribute \"nodes_nodeids\"",
                "tree {} has two nodes {}", trees[order_[k]], ids[order_[k]]);
  }

  std::size_t find(std::int64_t tree, std::int64_t id, const std::string& attribute) const {
    const std::pair wanted(tree, id);
    const auto it = std::lower_bound(order_.begin(), order_.end(), wanted,
                                     [&](std::size_t a, const auto& k) { return key(a) < k; });
    n_.require(it != order_.end() && key(*it) == wanted, "attribute \"" + attribute + "\"",
               "tree {} has no node {}", tree, id);
    return *it;
  }

  // The first node of each tree, trees in the order in which they appear.
  std::vector<std::size_t> roots() const {
    std::vector<std::size_t> first;
    for (std::size_t k = 0; k < order_.size();) {
      std::size_t root = order_[k], end = k;
      for (; end < order_.size() && trees_[order_[end]] == trees_[order_[k]]; ++end)
        root = std::min(root, order_[end]);
      first.push_back(root);
      k = end;
    }
    std::sort(first.begin(), first.end());
    return first;
  }

 private:
  std::pair<std::int64_t, std::int64_t> key(std::size_t i) const { return {trees_[i], ids_[i]}; }

  const NodeView& n_;
  const std::vector<std::int64_t>&trees_, &ids_;
  std::vector<std::size_t> order_;
};

constexpr Forest::Outcomes kComparisons[] = {
    kOutcomeLess | kOutcomeEqual,
    kOutcomeLess,
    kOutcomeGreater | kOutcomeEqual,
    kOutcomeGreater,
    kOutcomeEqual,
    kOutcomeLess | kOutcomeGreater,
};
constexpr std::string_view kModes[] = {"BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE",
                                       "BRANCH_GT",  "BRANCH_EQ", "BRANCH_NEQ"};

void set_mode(const NodeView& n, const std::string& mode, Forest::Node& node) {
  node.leaf = mode == "LEAF";
  if (node.leaf) return;
  const auto at = std::find(std::begin(kModes), std::end(kModes), mode);
  n.require(at != std::end(kModes), "attribute \"nodes_modes\"", "{} is no mode", mode);
  node.outcomes = kComparisons[at - std::begin(kModes)];
}

void check_feature(const NodeView& n, std::int64_t feature) {
  constexpr std::int64_t kMax = 1 << 24;
  n.require(feature >= 0 && feature < kMax, "attribute \"nodes_featureids\"", "{} is no feature",
            feature);
}

void read_nodes(const NodeView& n, Forest& forest) {
  static const std::vector<std::int64_t> kNone;
  const auto& trees = n.has_attr("nodes_treeids") ? n.attr_ints("nodes_treeids") : kNone;
  const std::size_t count = trees.size();
  n.require(count > 0, "attribute \"nodes_treeids\"", "there are no nodes");
  const auto& ids = ints(n, "nodes_nodeids", count);
  const auto& features = ints(n, "nodes_featureids", count);
  const auto& true_ids = ints(n, "nodes_truenodeids", count);
  const auto& false_ids = ints(n, "nodes_falsenodeids", count);
  const auto& modes = n.attr_strings("nodes_modes");
  check_length(n, "nodes_modes", modes.size(), count);
  const std::vector<double> splits = float_values(n, "nodes_values", forest);
  check_length(n, "nodes_values", splits.size(), count);
  const bool tracks = n.has_attr("nodes_missing_value_tracks_true") &&
                      !n.attr_ints("nodes_missing_value_tracks_true").empty();
  const auto& missing = tracks ? ints(n, "nodes_missing_value_tracks_true", count) : kNone;

  const NodeIds known(n, trees, ids);
  forest.roots = known.roots();
  forest.nodes.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    Forest::Node& node = forest.nodes[i];
    set_mode(n, modes[i], node);
    if (node.leaf) continue;
    check_feature(n, features[i]);
    node.feature = features[i];
    node.split = splits[i];
    if (tracks && missing[i] != 0) node.outcomes |= kOutcomeNaN;
    node.true_child = known.find(trees[i], true_ids[i], "nodes_truenodeids");
    node.false_child = known.find(trees[i], false_ids[i], "nodes_falsenodeids");
  }
}

constexpr std::int64_t kMaxTargets = std::int64_t{1} << 31;

// `targets` is 0 where the ids say how many there are.
void check_target(const NodeView& n, const std::string& name, std::int64_t id,
                  std::int64_t targets) {
  const std::int64_t end = targets > 0 ? targets : kMaxTargets - 1;
  const std::string field = "attribute \"" + name + "\"";
  n.require(id >= 0, field, "{} is negative", id);
  n.require(id < end, field, "{} is not below {}", id, end);
}

void read_votes(const NodeView& n, const std::string& prefix, Forest& forest) {
  const std::string name = prefix + "_ids";
  const std::vector<double> weights = float_values(n, prefix + "_weights", forest);
  const std::size_t count = weights.size();
  const auto& targets = ints(n, name, count);
  const auto& trees = ints(n, prefix + "_treeids", count);
  const auto& ids = ints(n, prefix + "_nodeids", count);
  const NodeIds known(n, n.attr_ints("nodes_treeids"), n.attr_ints("nodes_nodeids"));
  std::vector<std::size_t> at(count);
  std::vector<std::size_t> order(count);
  std::int64_t most = 0;
  for (std::size_t i = 0; i < count; ++i) {
    order[i] = i;
    at[i] = known.find(trees[i], ids[i], prefix + "_nodeids");
    most = std::max(most, targets[i]);
    check_target(n, name, targets[i], forest.targets);
  }
  if (forest.targets == 0) forest.targets = most + 1;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return at[a] < at[b]; });
  for (std::size_t i : order) {
    Forest::Node& node = forest.nodes[at[i]];
    if (node.votes++ == 0) node.first_vote = forest.votes.size();
    forest.votes.push_back({targets[i], weights[i]});
  }
}

// ---- all trees ------------------------------------------------------------------------------

// No node is reached twice; that also excludes cycles.
void check_trees(const NodeView& n, const Forest& forest, const std::string& attribute) {
  std::vector<bool> seen(forest.nodes.size());
  std::vector<std::size_t> open;
  for (std::size_t root : forest.roots) {
    open.push_back(root);
    while (!open.empty()) {
      const std::size_t i = open.back();
      open.pop_back();
      if (forest.nodes[i].leaf) continue;
      n.require(!seen[i], "attribute \"" + attribute + "\"", "leads to node {} a second time", i);
      seen[i] = true;
      open.push_back(forest.nodes[i].false_child);
      open.push_back(forest.nodes[i].true_child);
    }
  }
}

void find_used_features(Forest& forest) {
  for (const Forest::Node& node : forest.nodes)
    if (!node.leaf) forest.used = std::max(forest.used, node.feature + 1);
}

// Elements or splits of double are compared in double.
ElemType arithmetic_of(const NodeView& n) {
  return n.input(0).elem == ElemType::float64 ? ElemType::float64 : ElemType::float32;
}

std::int64_t target_count(const NodeView& n) {
  const auto targets = n.find_int("n_targets");
  n.require(!targets || (*targets >= 1 && *targets < kMaxTargets), "attribute \"n_targets\"",
            "is {}", targets.value_or(0));
  return targets.value_or(0);
}

}  // namespace

Forest read_forest(const NodeView& n, const std::string& prefix, std::int64_t targets) {
  Forest forest;
  forest.arithmetic = arithmetic_of(n);
  forest.targets = targets > 0 ? targets : target_count(n);
  read_nodes(n, forest);
  read_votes(n, prefix, forest);
  check_trees(n, forest, "nodes_truenodeids");
  find_used_features(forest);
  forest.base = float_values(n, "base_values", forest);
  // A classifier of two classes may have one base value only.
  const bool first_only = prefix == "class" && forest.targets == 2 && forest.base.size() == 1;
  if (first_only) forest.base.push_back(0);
  n.require(forest.base.empty() || static_cast<std::int64_t>(forest.base.size()) == forest.targets,
            "attribute \"base_values\"", "{} values for {} scores", forest.base.size(),
            forest.targets);
  return forest;
}

namespace {

// The n-th NaN ends the members of the n-th set.
void read_sets(const NodeView& n, Forest& forest, std::size_t wanted) {
  if (n.has_attr("membership_values")) {
    std::vector<double> set;
    for (double v : tensor_values(n, "membership_values", forest)) {
      if (v == v) {
        set.push_back(v);
        continue;
      }
      std::sort(set.begin(), set.end());
      forest.sets.push_back(std::move(set));
      set.clear();
    }
    n.require(set.empty(), "attribute \"membership_values\"", "the last set does not end with NaN");
  }
  n.require(forest.sets.size() == wanted, "attribute \"membership_values\"",
            "{} sets for {} nodes that ask for one", forest.sets.size(), wanted);
}

void read_leaves(const NodeView& n, Forest& forest) {
  const std::vector<double> weights = tensor_values(n, "leaf_weights", forest);
  const auto& targets = ints(n, "leaf_targetids", weights.size());
  std::int64_t most = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    most = std::max(most, targets[i]);
    check_target(n, "leaf_targetids", targets[i], forest.targets);
    Forest::Node leaf;
    leaf.leaf = true;
    leaf.first_vote = i;
    leaf.votes = 1;
    forest.nodes.push_back(leaf);
    forest.votes.push_back({targets[i], weights[i]});
  }
  if (forest.targets == 0) forest.targets = most + 1;
}

// The index of the node, or of the node made for the leaf.
std::size_t child(const NodeView& n, const char* side, std::int64_t id, bool leaf,
                  std::size_t branches, std::size_t leaves) {
  const auto count = static_cast<std::int64_t>(leaf ? leaves : branches);
  n.require(id >= 0 && id < count, fmt::format("attribute \"nodes_{}nodeids\"", side),
            "there is no {} {}", leaf ? "leaf" : "node", id);
  return static_cast<std::size_t>(id) + (leaf ? branches : 0);
}

std::size_t read_branches(const NodeView& n, Forest& forest, std::size_t leaves) {
  constexpr std::size_t kMember = 6;
  const std::vector<double> splits = tensor_values(n, "nodes_splits", forest);
  const std::size_t count = splits.size();
  const auto& features = ints(n, "nodes_featureids", count);
  const auto& true_ids = ints(n, "nodes_truenodeids", count);
  const auto& false_ids = ints(n, "nodes_falsenodeids", count);
  const auto& true_leaf = ints(n, "nodes_trueleafs", count);
  const auto& false_leaf = ints(n, "nodes_falseleafs", count);
  const Tensor& modes = n.attr_tensor("nodes_modes");
  n.require(modes.elem() == ElemType::uint8, "attribute \"nodes_modes\"", "is of {}",
            info(modes.elem()).onnx_name);
  check_length(n, "nodes_modes", static_cast<std::size_t>(modes.size()), count);
  const bool tracks = n.has_attr("nodes_missing_value_tracks_true") &&
                      !n.attr_ints("nodes_missing_value_tracks_true").empty();
  if (tracks) ints(n, "nodes_missing_value_tracks_true", count);

  std::size_t members = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t mode = modes.as<std::uint8_t>()[i];
    n.require(mode <= kMember, "attribute \"nodes_modes\"", "{} is no mode", mode);
    check_feature(n, features[i]);
    Forest::Node& node = forest.nodes[i];
    node.feature = features[i];
    node.split = mode == kMember ? static_cast<double>(members++) : splits[i];
    node.outcomes = mode == kMember ? kOutcomeMember : kComparisons[mode];
    if (tracks && n.attr_ints("nodes_missing_value_tracks_true")[i] != 0)
      node.outcomes |= kOutcomeNaN;
    node.true_child = child(n, "true", true_ids[i], true_leaf[i] != 0, count, leaves);
    node.false_child = child(n, "false", false_ids[i], false_leaf[i] != 0, count, leaves);
  }
  return members;
}

}  // namespace

Forest read_forest_of_leaves(const NodeView& n) {
  Forest forest;
  forest.arithmetic = arithmetic_of(n);
  forest.targets = target_count(n);
  const auto branches = static_cast<std::size_t>(n.attr_tensor("nodes_splits").size());
  forest.nodes.resize(branches);
  read_leaves(n, forest);
  const std::size_t members = read_branches(n, forest, forest.nodes.size() - branches);
  read_sets(n, forest, members);
  for (std::int64_t root : n.attr_ints("tree_roots")) {
    n.require(root >= 0 && static_cast<std::size_t>(root) < branches, "attribute \"tree_roots\"",
              "there is no node {}", root);
    forest.roots.push_back(static_cast<std::size_t>(root));
  }
  n.require(!forest.roots.empty(), "attribute \"tree_roots\"", "there are no trees");
  check_trees(n, forest, "nodes_truenodeids");
  find_used_features(forest);
  return forest;
}

Dim forest_rows(const NodeView& n, const Forest& forest) {
  const FeatureRows x = feature_rows(n);
  n.require(!x.features.is_const() || x.features.value() >= forest.used, "input 0 \"X\"",
            "{} features, the trees look at {}", x.features.to_string(), forest.used);
  n.at_least(x.features, forest.used, "input 0 \"X\"");
  return x.rows;
}

}  // namespace onnxc::ops

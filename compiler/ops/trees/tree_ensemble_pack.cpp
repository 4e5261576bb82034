// Packs a forest into compact tables: siblings are adjacent, in the order in which a walk reaches
// them.
#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/kernels/ml_calls.hpp"
#include "compiler/kernels/shape_struct.hpp"
#include "compiler/kernels/trees_calls.hpp"
#include "compiler/ops/trees/tree_ensemble_pack.hpp"
#include "templates/trees/tree_ensemble.hpp"

namespace onnxc::ops {
namespace {

// Integers in the narrowest unsigned type that holds them all, or int32.
Tensor narrow(const std::vector<std::int64_t>& values) {
  std::int64_t most = 0;
  for (std::int64_t v : values) most = std::max(most, v);
  const auto as = [&](auto tag, ElemType elem) {
    using T = decltype(tag);
    std::vector<T> out;
    out.reserve(values.size());
    for (std::int64_t v : values) out.push_back(static_cast<T>(v));
    return Tensor::of<T>(elem, {static_cast<std::int64_t>(out.size())}, out);
  };
  if (most <= 0xff) return as(std::uint8_t{}, ElemType::uint8);
  if (most <= 0xffff) return as(std::uint16_t{}, ElemType::uint16);
  return as(std::int32_t{}, ElemType::int32);
}

template <class T>
Tensor cast_all(ElemType elem, const std::vector<double>& values) {
  std::vector<T> out;
  out.reserve(values.size());
  for (double v : values) out.push_back(static_cast<T>(v));
  return Tensor::of<T>(elem, {static_cast<std::int64_t>(out.size())}, out);
}

Tensor typed_tensor(ElemType elem, const std::vector<double>& values) {
  return elem == ElemType::float64 ? cast_all<double>(elem, values) : cast_all<float>(elem, values);
}

bool fits(const std::vector<double>& values, double least, double most) {
  return std::all_of(values.begin(), values.end(),
                     [&](double v) { return v >= least && v <= most && v == std::trunc(v); });
}

class TableBuilder {
 public:
  TableBuilder(const NodeView& n, const Forest& forest, bool small) : n_(n), forest_(forest) {
    find_reachable();
    compare = find_compare();
    votes = find_votes();
    // With leaf weights in rows of their own, splits may be integers.
    if (small && votes == kVotesDirect && whole_splits())
      votes = forest.targets == 1 ? kVotesDense : kVotesSparse;
    for (std::size_t root : forest.roots) add_tree(root);
    begins.push_back(static_cast<std::int64_t>(weights.size()));
    if (!weights.empty()) return;
    ids.push_back(0);  // never read: arrays have members
    weights.push_back(0);
  }

  // The arguments of the kernel.
  std::vector<std::int64_t> features, steps, roots, tree_targets, begins, ids;
  std::vector<double> splits, weights;
  std::vector<std::uint8_t> modes;
  std::int64_t compare = 0, votes = 0;
  std::int64_t least = std::numeric_limits<std::int64_t>::max(), most = 0;  // depths of leaves
  bool missing = false, members = false;

  // The meaning of the split in a leaf's entry.
  double leaf_split(std::size_t i) const {
    return votes == kVotesDirect ? forest_.votes[node(i).first_vote].weight
                                 : static_cast<double>(rows_[i] - 1);
  }
  const std::vector<std::size_t>& reachable_leaves() const { return leaves_; }
  std::size_t branch_count() const { return branches_.size(); }

  Tensor splits_tensor(bool small) const {
    if (small && fits(splits, -128, 127)) return cast_all<std::int8_t>(ElemType::int8, splits);
    if (small && fits(splits, -32768, 32767))
      return cast_all<std::int16_t>(ElemType::int16, splits);
    return typed_tensor(forest_.arithmetic, splits);
  }

 private:
  using Node = Forest::Node;

  const Node& node(std::size_t i) const { return forest_.nodes[i]; }

  // Collects the branches and leaves that the trees reach.
  void find_reachable() {
    std::vector<bool> seen(forest_.nodes.size());
    for (std::size_t root : forest_.roots) {
      std::vector<std::size_t> open = {root};
      while (!open.empty()) {
        const std::size_t i = open.back();
        open.pop_back();
        if (node(i).leaf) {
          if (!seen[i]) leaves_.push_back(i);
          seen[i] = true;
          continue;
        }
        branches_.push_back(i);
        open.push_back(node(i).false_child);
        open.push_back(node(i).true_child);
      }
    }
    constexpr std::size_t kMax = std::numeric_limits<std::int32_t>::max() / 2;
    if (branches_.size() > kMax || forest_.votes.size() > kMax)
      n_.unsupported("", "an ensemble of more than 2^30 nodes");
  }

  static Forest::Outcomes number_outcomes(const Node& b) {
    return static_cast<Forest::Outcomes>(b.outcomes & ~kOutcomeNaN);
  }

  // Whether all branches compare with <=, or all with <, possibly with exchanged children.
  std::int64_t find_compare() const {
    bool less_or_equal = true, less = true;
    for (std::size_t i : branches_) {
      const Forest::Outcomes o = number_outcomes(node(i));
      const double split = node(i).split;
      less_or_equal = less_or_equal && split == split &&
                      (o == (kOutcomeLess | kOutcomeEqual) || o == kOutcomeGreater);
      // Nothing is below -infinity, not even the replacement of NaN.
      less = less && split > -std::numeric_limits<double>::infinity() &&
             (o == kOutcomeLess || o == (kOutcomeGreater | kOutcomeEqual));
    }
    return less_or_equal ? kTreesLessOrEqual : less ? kTreesLess : kTreesByMode;
  }

  std::int64_t find_votes() const {
    bool one = true, all = forest_.targets > 1;
    for (std::size_t i : leaves_) {
      one = one && node(i).votes == 1;
      all = all && votes_for_all(node(i));
    }
    if (one && forest_.targets > 1)
      for (std::size_t root : forest_.roots) one = one && one_target(root);
    return one ? kVotesDirect : all ? kVotesDense : kVotesSparse;
  }

  bool votes_for_all(const Node& leaf) const {
    if (leaf.votes != static_cast<std::size_t>(forest_.targets)) return false;
    std::vector<bool> seen(leaf.votes);
    for (std::size_t v = 0; v < leaf.votes; ++v)
      seen[static_cast<std::size_t>(forest_.votes[leaf.first_vote + v].target)] = true;
    return std::find(seen.begin(), seen.end(), false) == seen.end();
  }

  std::int64_t target_of(std::size_t leaf) const {
    return forest_.votes[node(leaf).first_vote].target;
  }
  bool one_target(std::size_t root) const {
    std::vector<std::size_t> open = {root};
    std::int64_t target = -1;
    while (!open.empty()) {
      const std::size_t i = open.back();
      open.pop_back();
      if (!node(i).leaf) {
        open.push_back(node(i).false_child);
        open.push_back(node(i).true_child);
        continue;
      }
      if (target >= 0 && target != target_of(i)) return false;
      target = target_of(i);
    }
    return true;
  }

  bool whole_splits() const {
    return std::all_of(branches_.begin(), branches_.end(), [&](std::size_t i) {
      const double v = node(i).split;
      return v >= -32768 && v <= 32767 && v == std::trunc(v);
    });
  }

  // ---- entries ------------------------------------------------------------------------------

  void add_tree(std::size_t root) {
    roots.push_back(static_cast<std::int64_t>(features.size()));
    std::vector<std::size_t> level = {root};  // the nodes of the entries, in their order
    std::vector<std::int64_t> depth = {0};
    const std::size_t first = features.size();
    std::int64_t target = 0;
    for (std::size_t k = 0; k < level.size(); ++k) {
      const std::size_t i = level[k];
      if (node(i).leaf) {
        least = std::min(least, depth[k]);
        most = std::max(most, depth[k]);
        add_leaf(i);
        if (votes == kVotesDirect) target = target_of(i);
        continue;
      }
      const bool flipped = add_branch(node(i), first + level.size() - (first + k));
      level.push_back(flipped ? node(i).true_child : node(i).false_child);
      level.push_back(flipped ? node(i).false_child : node(i).true_child);
      depth.insert(depth.end(), 2, depth[k] + 1);
    }
    tree_targets.push_back(target);
  }

  // Whether the true child comes first.
  bool add_branch(const Node& b, std::size_t step) {
    steps.push_back(static_cast<std::int64_t>(step));
    const bool nan_to_true = (b.outcomes & kOutcomeNaN) != 0;
    if (compare == kTreesByMode) {
      add_mode(b);
      features.push_back(b.feature);
      return false;
    }
    // The second child is taken for values below the split.
    const bool flipped = (b.outcomes & kOutcomeLess) == 0;
    const bool nan_is_low = nan_to_true != flipped;
    missing = missing || nan_is_low;
    features.push_back(nan_is_low ? forest_.used + 1 + b.feature : b.feature);
    splits.push_back(b.split);
    return flipped;
  }

  void add_mode(const Node& b) {
    Forest::Outcomes o = b.outcomes;
    double split = b.split;
    if ((o & kOutcomeMember) != 0) {
      members = true;
    } else if (split != split) {
      // Every number differs from NaN; no other comparison holds.
      const bool unequal = number_outcomes(b) == (kOutcomeLess | kOutcomeGreater);
      o = static_cast<Forest::Outcomes>(o & kOutcomeNaN);
      if (unequal) o |= kOutcomeLess | kOutcomeEqual | kOutcomeGreater;
      split = 0;
    }
    modes.push_back(o);
    splits.push_back(split);
  }

  void add_leaf(std::size_t i) {
    steps.push_back(0);
    features.push_back(forest_.used);
    if (compare == kTreesByMode) modes.push_back(0);
    if (votes != kVotesDirect) add_leaf_row(i);
    splits.push_back(leaf_split(i));
  }

  // A leaf gets a row of weights when it is first reached.
  void add_leaf_row(std::size_t i) {
    if (rows_.empty()) rows_.resize(forest_.nodes.size());
    if (rows_[i] != 0) return;
    constexpr std::size_t kMax = std::size_t{1} << 24;  // indices are stored as floats
    if (begins.size() >= kMax) n_.unsupported("", "more than 2^24 leaves");
    rows_[i] = begins.size() + 1;
    begins.push_back(static_cast<std::int64_t>(weights.size()));
    const Node& leaf = node(i);
    const auto first = forest_.votes.begin() + static_cast<std::ptrdiff_t>(leaf.first_vote);
    std::vector<Forest::Vote> own(first, first + static_cast<std::ptrdiff_t>(leaf.votes));
    if (votes == kVotesDense)
      std::sort(own.begin(), own.end(),
                [](const auto& a, const auto& b) { return a.target < b.target; });
    for (const Forest::Vote& v : own) {
      ids.push_back(v.target);
      weights.push_back(v.weight);
    }
  }

  const NodeView& n_;
  const Forest& forest_;
  std::vector<std::size_t> branches_, leaves_, rows_;
};

template <class T>
Tensor plain(ElemType elem, const std::vector<T>& values) {
  return Tensor::of<T>(elem, {static_cast<std::int64_t>(values.size())}, values);
}

void add_sets(Lower& n, Call& call, const Forest& forest) {
  std::vector<std::int32_t> begins = {0};
  std::vector<double> members;
  for (const std::vector<double>& set : forest.sets) {
    members.insert(members.end(), set.begin(), set.end());
    begins.push_back(static_cast<std::int32_t>(members.size()));
  }
  members.push_back(0);  // never read: arrays have members
  call.read(n.constant(plain(ElemType::int32, begins), "sets"));
  call.read(n.constant(typed_tensor(forest.arithmetic, members), "members"));
}

void add_votes(Lower& n, Call& call, const Forest& forest, const TableBuilder& t) {
  const ElemType c = forest.arithmetic;
  const bool sparse = t.votes == kVotesSparse;
  call.begin_struct("TreeVotes");
  if (t.votes == kVotesDirect && forest.targets > 1)
    call.read(n.constant(narrow(t.tree_targets), "tree_targets"));
  else
    call.null(ElemType::uint8);
  if (sparse)
    call.read(n.constant(narrow(t.begins), "begins")).read(n.constant(narrow(t.ids), "ids"));
  else
    call.null(ElemType::uint8).null(ElemType::uint8);
  if (t.votes != kVotesDirect)
    call.read(n.constant(typed_tensor(c, t.weights), "weights"));
  else
    call.null(c);
  call.end_struct();
}

// The number of walks that are interleaved.
std::int64_t lanes_for(const Lower& n, const Dim& rows, std::int64_t trees) {
  constexpr std::int64_t kMax = 8;
  if (n.target().vector_floats == 1 || n.options().optimize_size) return 1;
  return rows.is_const() && rows.value() < kMax ? std::min(kMax, trees) : kMax;
}

void add_base(Lower& n, Call& call, const Forest& forest) {
  if (forest.base.empty())
    call.null(forest.arithmetic);
  else
    call.read(n.constant(typed_tensor(forest.arithmetic, forest.base), "base"));
}

// C++ compilers reject deeply nested code and are slow on very much of it.
bool fits_code(const Forest& forest, const TableBuilder& t) {
  const bool small_sets = std::all_of(forest.sets.begin(), forest.sets.end(),
                                      [](const auto& set) { return set.size() <= 64; });
  return t.most <= 64 && t.branch_count() <= 65536 && small_sets;
}

std::shared_ptr<const DecisionTrees> code_of(const Forest& forest, const TableBuilder& t) {
  auto trees = std::make_shared<DecisionTrees>();
  trees->arithmetic = forest.arithmetic;
  trees->roots = forest.roots;
  for (const Forest::Node& from : forest.nodes) {
    DecisionTrees::Node to{from.leaf, from.outcomes,   from.feature,    from.split,
                           {},        from.true_child, from.false_child};
    if ((from.outcomes & kOutcomeMember) != 0)
      to.members = forest.sets[static_cast<std::size_t>(from.split)];
    trees->nodes.push_back(std::move(to));
  }
  for (std::size_t leaf : t.reachable_leaves()) trees->nodes[leaf].split = t.leaf_split(leaf);
  return trees;
}

void lower_code(Lower& n, const Forest& forest, const TableBuilder& t, BufferId scores) {
  const FeatureRows x = feature_rows(n);
  const auto trees = static_cast<std::int64_t>(t.roots.size());
  Call call = n.call(
      "tree_branches",
      TreeBranchesShape<Dim>{x.rows, x.features, trees, forest.targets, t.votes, forest.aggregate});
  call.in(0).trees(code_of(forest, t));
  add_votes(n, call, forest, t);
  add_base(n, call, forest);
  call.write(scores);
}

}  // namespace

void lower_forest(Lower& n, const Forest& forest, BufferId scores) {
  const bool small = n.options().optimize_size && !n.options().trees_as_code;
  TableBuilder t(n, forest, small);
  if (n.options().trees_as_code && fits_code(forest, t)) return lower_code(n, forest, t, scores);
  const FeatureRows x = feature_rows(n);
  const auto trees = static_cast<std::int64_t>(t.roots.size());
  const std::int64_t lanes = lanes_for(n, x.rows, trees);
  const std::int64_t stride = t.missing ? 2 * forest.used + 1 : forest.used + 1;
  const bool one_row = x.rows.is_const() && x.rows.value() < lanes;
  const BufferId row = n.scratch(forest.arithmetic, one_row ? stride : lanes * stride, "row");
  while (static_cast<std::int64_t>(t.roots.size()) % lanes != 0) t.roots.push_back(t.roots.back());

  Call call = n.call("tree_ensemble", TreeEnsembleShape<Dim>{.rows = x.rows,
                                                             .columns = x.features,
                                                             .used = forest.used,
                                                             .stride = stride,
                                                             .trees = trees,
                                                             .least = t.least,
                                                             .most = t.most,
                                                             .targets = forest.targets,
                                                             .compare = t.compare,
                                                             .votes = t.votes,
                                                             .aggregate = forest.aggregate,
                                                             .missing = t.missing,
                                                             .members = t.members});
  call.template_arg(std::to_string(lanes));
  call.in(0).begin_struct("TreeTables").read(n.constant(narrow(t.features), "features"));
  call.read(n.constant(t.splits_tensor(small), "splits"));
  call.read(n.constant(narrow(t.steps), "steps"));
  if (t.compare == kTreesByMode)
    call.read(n.constant(plain(ElemType::uint8, t.modes), "modes"));
  else
    call.null(ElemType::uint8);
  if (t.members)
    add_sets(n, call, forest);
  else
    call.null(ElemType::int32).null(forest.arithmetic);
  call.read(n.constant(narrow(t.roots), "roots")).end_struct();
  add_votes(n, call, forest, t);
  add_base(n, call, forest);
  call.write(row).write(scores);
}

void lower_forest_output(Lower& n, const Forest& forest, std::int64_t transform, std::size_t i) {
  const Dim rows = feature_rows(n).rows, count = rows * Dim(forest.targets);
  const bool same = n.out_elem(i) == forest.arithmetic;
  const BufferId scores = same ? n.out(i) : n.scratch(forest.arithmetic, count, "scores");
  lower_forest(n, forest, scores);
  if (transform != 0)
    n.call("transform_scores", TransformScoresShape<Dim>{rows, forest.targets, transform})
        .write(scores);
  if (!same) n.call("convert_scores", CountShape<Dim>{count}).read(scores).out(i);
}

}  // namespace onnxc::ops

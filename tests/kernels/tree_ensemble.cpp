// tree_ensemble.cpp - walks through tables of trees against plain recursion.
#include "templates/trees/tree_ensemble.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <vector>
#include "compiler/kernels/shape_struct.hpp"

namespace {

using onnxc::Index;

struct Shape {
  Index rows, columns, used, stride, trees, least, most, targets, compare;
  bool missing, members;
  Index votes, aggregate;
};

struct Node {
  bool leaf = true;
  int outcomes = 0;
  Index feature = 0, set = -1;
  float split = 0;
  std::size_t yes = 0, no = 0;
  std::vector<float> votes;  // of every target, NaN for none
};
using Tree = std::vector<Node>;

constexpr Index kUsed = 5, kColumns = 6;
const std::vector<float> kMembers = {-1, 0, 2, 1, 3};
const std::vector<std::int32_t> kSets = {0, 3, 5};

struct Source {
  std::mt19937 random{7};
  Index number(Index low, Index high) {
    return std::uniform_int_distribution<Index>(low, high)(random);
  }
  float value() { return static_cast<float>(number(-4, 4)) / 2; }

  Tree tree(Index compare, bool missing) {
    constexpr int kLess = onnxc::kOutcomeLess, kEqual = onnxc::kOutcomeEqual;
    const int all_modes[] = {kLess | kEqual, kLess, 4 | kEqual, 4, kEqual, kLess | 4, 16};
    Tree t(1);
    for (Index k = number(0, 6); k > 0; --k) {
      std::size_t at = 0;
      while (!t[at].leaf) at = number(0, 1) == 0 ? t[at].yes : t[at].no;
      Node& n = t[at];
      n.leaf = false;
      n.outcomes = compare == onnxc::kTreesLessOrEqual ? kLess | kEqual
                   : compare == onnxc::kTreesLess      ? kLess
                                                       : all_modes[number(0, 6)];
      if (n.outcomes == onnxc::kOutcomeMember) n.set = number(0, 1);
      if (missing && number(0, 1) == 0) n.outcomes |= onnxc::kOutcomeNaN;
      n.feature = number(0, kUsed - 1);
      n.split = value();
      n.yes = t.size();
      n.no = t.size() + 1;
      t.resize(t.size() + 2);
    }
    return t;
  }
};

const Node& leaf_of(const Tree& t, const float* x) {
  std::size_t at = 0;
  while (!t[at].leaf) {
    const Node& n = t[at];
    const float v = x[n.feature];
    bool yes = false;
    if (v != v) {
      yes = (n.outcomes & onnxc::kOutcomeNaN) != 0;
    } else if (n.set >= 0) {
      for (auto i = kSets[static_cast<std::size_t>(n.set)];
           i < kSets[static_cast<std::size_t>(n.set) + 1]; ++i)
        yes = yes || kMembers[static_cast<std::size_t>(i)] == v;
    } else {
      yes = (n.outcomes & (v < n.split ? 1 : v > n.split ? 4 : 2)) != 0;
    }
    at = yes ? n.yes : n.no;
  }
  return t[at];
}

struct Tables {
  std::vector<std::uint8_t> features, modes, ids, tree_targets;
  std::vector<float> splits, weights;
  std::vector<std::uint16_t> steps, roots;
  std::vector<std::int32_t> begins;
  Index least = 1000, most = 0;

  void add(const Tree& t, const Shape& s) {
    roots.push_back(static_cast<std::uint16_t>(features.size()));
    std::vector<std::size_t> order = {0};
    std::vector<Index> depth = {0};
    for (std::size_t k = 0; k < order.size(); ++k) {
      const Node& n = t[order[k]];
      modes.push_back(static_cast<std::uint8_t>(n.leaf ? 0 : n.outcomes));
      steps.push_back(static_cast<std::uint16_t>(n.leaf ? 0 : order.size() - k));
      if (n.leaf) {
        features.push_back(static_cast<std::uint8_t>(kUsed));
        add_leaf(n, s);
        least = std::min(least, depth[k]);
        most = std::max(most, depth[k]);
        continue;
      }
      const bool low = s.missing && (n.outcomes & onnxc::kOutcomeNaN) != 0;
      features.push_back(static_cast<std::uint8_t>(n.feature + (low ? kUsed + 1 : 0)));
      splits.push_back(n.set >= 0 ? static_cast<float>(n.set) : n.split);
      order.insert(order.end(), {n.no, n.yes});
      depth.insert(depth.end(), 2, depth[k] + 1);
    }
  }

  void add_leaf(const Node& n, const Shape& s) {
    if (s.votes == onnxc::kVotesDirect) {
      for (std::size_t k = 0; k < n.votes.size(); ++k)
        if (n.votes[k] == n.votes[k]) splits.push_back(n.votes[k]);
      return;
    }
    splits.push_back(static_cast<float>(begins.size()));
    begins.push_back(static_cast<std::int32_t>(weights.size()));
    for (std::size_t k = 0; k < n.votes.size(); ++k)
      if (n.votes[k] == n.votes[k]) {
        ids.push_back(static_cast<std::uint8_t>(k));
        weights.push_back(n.votes[k]);
      }
  }
};

std::vector<float> expected(const Shape& s, const std::vector<Tree>& trees,
                            const std::vector<float>& x) {
  std::vector<float> y;
  for (Index r = 0; r < s.rows; ++r)
    for (Index k = 0; k < s.targets; ++k) {
      float score = 0;
      bool any = false;
      for (const Tree& t : trees) {
        const float v = leaf_of(t, &x[static_cast<std::size_t>(r * kColumns)])
                            .votes[static_cast<std::size_t>(k)];
        if (v != v) continue;
        const bool sum = s.aggregate == onnxc::kTreesSum || s.aggregate == onnxc::kTreesAverage;
        score = sum                               ? score + v
                : !any                            ? v
                : s.aggregate == onnxc::kTreesMin ? std::min(score, v)
                                                  : std::max(score, v);
        any = true;
      }
      if (s.aggregate == onnxc::kTreesAverage) score /= static_cast<float>(s.trees);
      y.push_back(score + static_cast<float>(k));
    }
  return y;
}

void set_votes(Source& source, std::vector<Tree>& trees, const Shape& s) {
  for (std::size_t t = 0; t < trees.size(); ++t)
    for (Node& n : trees[t])
      for (Index k = 0; k < s.targets; ++k) {
        const bool votes = s.votes == onnxc::kVotesDirect
                               ? static_cast<Index>(t) % s.targets == k
                               : s.votes == onnxc::kVotesDense || source.number(0, 1) == 0;
        n.votes.push_back(votes ? source.value() : onnxc::kNaN);
      }
}

template <int LANES>
void check(Shape s) {
  Source source;
  std::vector<Tree> trees;
  for (Index t = 0; t < s.trees; ++t) trees.push_back(source.tree(s.compare, s.missing));
  set_votes(source, trees, s);
  Tables t;
  const bool flags = s.missing;
  s.missing = flags && s.compare != onnxc::kTreesByMode;
  for (std::size_t k = 0; k < trees.size(); ++k) {
    t.add(trees[k], s);
    t.tree_targets.push_back(static_cast<std::uint8_t>(static_cast<Index>(k) % s.targets));
  }
  t.begins.push_back(static_cast<std::int32_t>(t.weights.size()));
  while (t.roots.size() % LANES != 0) t.roots.push_back(t.roots.back());
  s.least = t.least;
  s.most = t.most;
  s.stride = s.missing ? 2 * kUsed + 1 : kUsed + 1;
  std::vector<float> x(static_cast<std::size_t>(s.rows * kColumns));
  for (float& v : x) v = source.number(0, 5) == 0 ? onnxc::kNaN : source.value();
  std::vector<float> base = {0, 1, 2}, row(static_cast<std::size_t>(LANES * s.stride)),
                     y(static_cast<std::size_t>(s.rows * s.targets));
  const onnxc::TreeTables tables{t.features.data(), t.splits.data(), t.steps.data(), t.modes.data(),
                                 kSets.data(),      kMembers.data(), t.roots.data()};
  const onnxc::TreeVotes votes{t.tree_targets.data(), t.begins.data(), t.ids.data(),
                               t.weights.data()};
  onnxc::tree_ensemble<LANES>(s, x.data(), tables, votes, base.data(), row.data(), y.data());
  CAPTURE(LANES, s.rows, s.compare, flags, s.votes, s.aggregate, s.targets);
  CHECK(y == expected(s, trees, x));
}

struct Two {
  template <class F>
  void each(const double* x, F vote) const {
    vote(Index{0}, x[0] <= 0.5 ? 1.0 : 2.0);
    vote(Index{1}, x[1] == 1.0 ? 4.0 : 8.0);
  }
};

}  // namespace

TEST_CASE("every comparison, vote and aggregate") {
  for (Index compare : {onnxc::kTreesLessOrEqual, onnxc::kTreesLess, onnxc::kTreesByMode})
    for (bool missing : {false, true})
      for (Index votes : {onnxc::kVotesDirect, onnxc::kVotesDense, onnxc::kVotesSparse})
        for (Index aggregate = onnxc::kTreesSum; aggregate <= onnxc::kTreesMax; ++aggregate) {
          const bool members = compare == onnxc::kTreesByMode;
          Shape s{19, kColumns, kUsed, 0, 11, 0, 0, 3, compare, missing, members, votes, aggregate};
          check<8>(s);
          s.rows = 1;
          check<4>(s);
          check<1>(s);
          s.rows = 9;
          s.targets = 1;
          check<4>(s);
        }
}

TEST_CASE("trees that are code") {
  const Shape s{2, 2, 2, 0, 2, 0, 0, 2, 0, false, false, onnxc::kVotesDirect, onnxc::kTreesSum};
  const double x[] = {0, 1, 1, 0};
  const std::uint8_t targets[] = {1, 0};
  std::vector<double> y(4);
  const double* none = nullptr;
  const onnxc::TreeVotes votes{targets, static_cast<const std::int32_t*>(nullptr),
                               static_cast<const std::uint8_t*>(nullptr), none};
  onnxc::tree_branches(s, x, Two{}, votes, none, y.data());
  CHECK(y == std::vector<double>{4, 1, 8, 2});
}

TEST_CASE("scores in another type") {
  using Count = onnxc::CountShape<onnxc::Index>;
  const double x[] = {0.5, -2};
  std::vector<float> y(2);
  onnxc::convert_scores(Count{2}, x, y.data());
  CHECK(y == std::vector<float>{0.5f, -2});
}

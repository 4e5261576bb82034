// tree_ensemble.hpp - evaluates an ensemble of decision trees on rows of features.
//
// A tree is a range of entries, branches and leaves. The two children of a branch are neighbours,
// `steps` entries further on; a leaf has step 0 and leads to itself, so that several walks advance
// side by side, without a jump that depends on the data, until none of them moves.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "runtime_min/half.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

// How entries compare: all alike, or each by its mode, a set of outcomes.
constexpr Index kTreesLessOrEqual = 0, kTreesLess = 1, kTreesByMode = 2;
constexpr int kOutcomeLess = 1, kOutcomeEqual = 2, kOutcomeGreater = 4, kOutcomeNaN = 8,
              kOutcomeMember = 16;

// Votes of a leaf. Direct: for the target of its tree, its split is the weight. Otherwise its split
// is the row of its weights: dense rows have one weight per target, sparse ones list their targets.
constexpr Index kVotesDirect = 0, kVotesDense = 1, kVotesSparse = 2;

constexpr Index kTreesSum = 0, kTreesAverage = 1, kTreesMin = 2, kTreesMax = 3;

// The entries of all trees: features, splits, steps: [entries], modes: [entries] with kTreesByMode,
// else null. Members of set k are the sorted members[sets[k] .. sets[k + 1]), null without sets;
// the split of an entry that tests membership is k. roots: the entry of each tree's root.
template <class F, class T, class P, class C, class R>
struct TreeTables {
  const F* features;
  const T* splits;
  const P* steps;
  const std::uint8_t* modes;
  const std::int32_t* sets;
  const C* members;
  const R* roots;
};
template <class F, class T, class P, class C, class R>
TreeTables(const F*, const T*, const P*, const std::uint8_t*, const std::int32_t*, const C*,
           const R*) -> TreeTables<F, T, P, C, R>;

// tree_targets: [trees] for direct votes, null for a single target. Sparse votes of leaf row r:
// weights[begins[r] .. begins[r + 1]) for the targets ids[...]; both are null for other votes,
// weights for direct ones.
template <class G, class E, class I, class C>
struct TreeVotes {
  const G* tree_targets;
  const E* begins;
  const I* ids;
  const C* weights;
};
template <class G, class E, class I, class C>
TreeVotes(const G*, const E*, const I*, const C*) -> TreeVotes<G, E, I, C>;

template <class C>
bool is_tree_member(const C* members, Index low, Index high, C x) {
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (members[middle] == x) return true;
    if (members[middle] < x)
      low = middle + 1;
    else
      high = middle;
  }
  return false;
}

// Which child of entry i a walk with feature value x takes: 0 or 1.
template <class S, class Tables, class C>
[[gnu::always_inline]] inline Index tree_child(S s, const Tables& t, Index i, C x) {
  const C split = static_cast<C>(t.splits[i]);
  if (s.compare == kTreesLessOrEqual) return x <= split ? 1 : 0;
  if (s.compare == kTreesLess) return x < split ? 1 : 0;
  const int mode = t.modes[i];
  if (s.members && (mode & kOutcomeMember) != 0) {
    if (x != x) return (mode & kOutcomeNaN) != 0 ? 1 : 0;
    const Index k = static_cast<Index>(split);
    return is_tree_member(t.members, static_cast<Index>(t.sets[k]),
                          static_cast<Index>(t.sets[k + 1]), x)
               ? 1
               : 0;
  }
  const int outcome = (x < split ? kOutcomeLess : 0) | (x == split ? kOutcomeEqual : 0) |
                      (x > split ? kOutcomeGreater : 0) | (x != x ? kOutcomeNaN : 0);
  return (mode & outcome) != 0 ? 1 : 0;
}

// One walk for each L, side by side, from entry at[L] to its leaf; walk L reads the row at
// rows + L * stride. Leaves are between s.least and s.most steps deep.
template <class S, class Tables, class C, std::size_t... L>
[[gnu::always_inline]] inline void walk_trees(S s, const Tables& t, const C* rows, Index stride,
                                              Index* at, std::index_sequence<L...>) {
  Index moved = 0;
  const auto advance = [&](Index i, const C* row) {
    const Index step = static_cast<Index>(t.steps[i]);
    moved |= step;
    return i + step + tree_child(s, t, i, row[t.features[i]]);
  };
  for (Index depth = 0; depth < s.most; ++depth) {
    moved = 0;
    ((at[L] = advance(at[L], rows + static_cast<Index>(L) * stride)), ...);
    if (depth >= s.least && moved == 0) return;
  }
}

// row: the features in use as C, then NaN, which leaves read and which moves no walk; with
// s.missing the features again, with -infinity for NaN.
template <class S, class X, class C>
void prepare_tree_row(S s, const X* x, C* row) {
  for (Index c = 0; c < s.used; ++c) row[c] = static_cast<C>(x[c]);
  row[s.used] = std::numeric_limits<C>::quiet_NaN();
  if (!s.missing) return;
  for (Index c = 0; c < s.used; ++c)
    row[s.used + 1 + c] = row[c] == row[c] ? row[c] : -std::numeric_limits<C>::infinity();
}

template <class S, class C>
[[gnu::always_inline]] inline void add_tree_vote(S s, C weight, C& score) {
  // A score without votes is NaN, which is neither less nor greater.
  if (s.aggregate == kTreesMin)
    score = score <= weight ? score : weight;
  else if (s.aggregate == kTreesMax)
    score = score >= weight ? score : weight;
  else
    score += weight;
}

// The votes of the leaf at entry `at`, in which a walk of `tree` has ended.
template <class S, class T, class V, class C>
[[gnu::always_inline]] inline void add_tree_votes(S s, T split, const V& votes, Index tree,
                                                  C* scores) {
  if (s.votes == kVotesDirect) {
    const Index k = s.targets == 1 ? 0 : static_cast<Index>(votes.tree_targets[tree]);
    return add_tree_vote(s, static_cast<C>(split), scores[k]);
  }
  const Index leaf = static_cast<Index>(split);
  if (s.votes == kVotesDense) {
    for (Index k = 0; k < s.targets; ++k)
      add_tree_vote(s, votes.weights[leaf * s.targets + k], scores[k]);
    return;
  }
  const auto end = static_cast<Index>(votes.begins[leaf + 1]);
  for (auto v = static_cast<Index>(votes.begins[leaf]); v < end; ++v)
    add_tree_vote(s, votes.weights[v], scores[votes.ids[v]]);
}

template <class S>
constexpr bool sums_tree_votes(S s) {
  return s.aggregate == kTreesSum || s.aggregate == kTreesAverage;
}

template <class S, class C>
void start_tree_scores(S s, C* scores) {
  const Index entries = s.rows * s.targets;
  const C start = sums_tree_votes(s) ? C(0) : std::numeric_limits<C>::quiet_NaN();
  for (Index i = 0; i < entries; ++i) scores[i] = start;
}

template <class S, class C>
void finish_tree_scores(S s, const C* base, C* scores) {
  for (Index r = 0; r < s.rows; ++r, scores += s.targets)
    for (Index k = 0; k < s.targets; ++k) {
      if (s.aggregate == kTreesAverage) scores[k] /= static_cast<C>(s.trees);
      if (!sums_tree_votes(s) && scores[k] != scores[k]) scores[k] = C(0);
      if (base != nullptr) scores[k] += base[k];
    }
}

// x: [rows, columns], of which the first s.used are read. tables.roots: filled up to a multiple of
// LANES. base: [targets] or null. row: scratch, LANES rows of s.stride. scores: [rows, targets].
// s: rows, columns, used, stride, trees, least, most, targets, compare, missing, members, votes,
// aggregate.
template <int LANES, class S, class X, class Tables, class Votes, class C>
void tree_ensemble(S s, const X* x, const Tables& tables, const Votes& votes, const C* base, C* row,
                   C* scores) {
  constexpr std::size_t lanes = LANES;
  constexpr auto all = std::make_index_sequence<lanes>{};
  start_tree_scores(s, scores);

  // Rows side by side in one tree while there are enough of them.
  Index r = 0;
  for (; LANES > 1 && r + LANES <= s.rows; r += LANES) {
    for (Index l = 0; l < LANES; ++l)
      prepare_tree_row(s, x + (r + l) * s.columns, row + l * s.stride);
    for (Index tree = 0; tree < s.trees; ++tree) {
      Index at[lanes];
      for (Index& i : at) i = static_cast<Index>(tables.roots[tree]);
      walk_trees(s, tables, row, s.stride, at, all);
      for (Index l = 0; l < LANES; ++l)
        add_tree_votes(s, tables.splits[at[l]], votes, tree, scores + (r + l) * s.targets);
    }
  }
  // Else trees side by side for one row; votes are added in the order of the trees.
  for (; r < s.rows; ++r) {
    prepare_tree_row(s, x + r * s.columns, row);
    for (Index tree = 0; tree < s.trees; tree += LANES) {
      Index at[lanes];
      for (Index l = 0; l < LANES; ++l) at[l] = static_cast<Index>(tables.roots[tree + l]);
      walk_trees(s, tables, row, 0, at, all);
      for (Index l = 0; l < LANES && tree + l < s.trees; ++l)
        add_tree_votes(s, tables.splits[at[l]], votes, tree + l, scores + r * s.targets);
    }
  }
  finish_tree_scores(s, base, scores);
}

// The same with trees that are code: branches.each(x, vote) calls vote(tree, split of the leaf).
// s: rows, columns, trees, targets, votes, aggregate.
template <class S, class X, class B, class Votes, class C>
void tree_branches(S s, const X* x, B branches, const Votes& votes, const C* base, C* scores) {
  start_tree_scores(s, scores);
  for (Index r = 0; r < s.rows; ++r)
    branches.each(x + r * s.columns, [&](Index tree, C split) {
      add_tree_votes(s, split, votes, tree, scores + r * s.targets);
    });
  finish_tree_scores(s, base, scores);
}

// y: x in another type.  s: count.
template <class S, class C, class Y>
void convert_scores(S s, const C* x, Y* y) {
  for (Index i = 0; i < s.count; ++i) y[i] = static_cast<Y>(x[i]);
}

}  // namespace onnxc

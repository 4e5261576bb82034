// pair_merges.hpp - byte pair encoding: joins neighbours by rules in the order of their rank.
#pragma once

#include <cstdint>
#include <limits>

#include "runtime_min/types.hpp"

namespace onnxc {

// The rules whose left piece is p are [begin[p], begin[p + 1]), each right, rank, result in order
// of the right piece.
struct PairRules {
  const std::int32_t *begin, *rules;
};

// Numbers of memory that merging `pieces` pieces works in.
template <class N>
constexpr N merge_pairs_scratch(N pieces) {
  return 6 * pieces;
}

namespace pair_merges_detail {

constexpr std::int32_t kNever = std::numeric_limits<std::int32_t>::max();

// The rule of two pieces, null where there is none.
inline const std::int32_t* rule_of(const PairRules& r, std::int32_t left, std::int32_t right) {
  if (left < 0 || right < 0) return nullptr;
  std::int32_t low = r.begin[left], high = r.begin[left + 1];
  while (low < high) {
    const std::int32_t middle = low + (high - low) / 2;
    const std::int32_t* const rule = r.rules + 3 * Index{middle};
    if (rule[0] == right) return rule;
    if (rule[0] < right)
      low = middle + 1;
    else
      high = middle;
  }
  return nullptr;
}

// Pieces as a list, with the rank of the rule that joins each with the next, and a tree whose nodes
// hold the place of the lowest rank below them: [1] of all.
struct Pieces {
  std::int32_t *id, *next, *previous, *rank, *joined, *lowest;
  std::int32_t count;

  std::int32_t better(std::int32_t a, std::int32_t b) const {
    return rank[b] < rank[a] || (rank[b] == rank[a] && b < a) ? b : a;
  }
  void look_up(const PairRules& rules, std::int32_t i) {
    const std::int32_t* const rule = next[i] < count ? rule_of(rules, id[i], id[next[i]]) : nullptr;
    rank[i] = rule != nullptr ? rule[1] : kNever;
    joined[i] = rule != nullptr ? rule[2] : -1;
  }
  std::int32_t winner(std::int32_t node) const {
    return node >= count ? node - count : lowest[node];
  }
  void update(std::int32_t i) {
    for (std::int32_t node = (i + count) / 2; node > 0; node /= 2)
      lowest[node] = better(winner(2 * node), winner(2 * node + 1));
  }
};

}  // namespace pair_merges_detail

// Joins the `count` pieces of ids in place and returns how many are left. Of rules of one rank the
// leftmost place goes first. A negative piece joins with none. work: merge_pairs_scratch(count).
inline std::int32_t merge_pairs(const PairRules& rules, std::int32_t* ids, std::int32_t count,
                                std::int32_t* work) {
  using namespace pair_merges_detail;
  if (count < 2) return count;
  const Index n = count;
  Pieces p{ids, work, work + n, work + 2 * n, work + 3 * n, work + 4 * n, count};
  for (std::int32_t i = 0; i < count; ++i) {
    p.next[i] = i + 1;
    p.previous[i] = i - 1;
    p.look_up(rules, i);
  }
  for (std::int32_t node = count - 1; node > 0; --node)
    p.lowest[node] = p.better(p.winner(2 * node), p.winner(2 * node + 1));
  for (;;) {
    const std::int32_t i = p.winner(1);
    if (p.rank[i] == kNever) break;
    const std::int32_t gone = p.next[i], after = p.next[gone];
    ids[i] = p.joined[i];
    p.next[i] = after;
    if (after < count) p.previous[after] = i;
    p.rank[gone] = kNever;
    p.update(gone);
    p.look_up(rules, i);
    p.update(i);
    if (p.previous[i] >= 0) {
      p.look_up(rules, p.previous[i]);
      p.update(p.previous[i]);
    }
  }
  std::int32_t left = 0;
  for (std::int32_t i = 0; i < count; i = p.next[i]) ids[left++] = ids[i];
  return left;
}

}  // namespace onnxc

// Looks for a free place among the placed buffers.
#include "compiler/schedule/free_range.hpp"

#include <algorithm>
#include <bit>

#include "compiler/support/checked.hpp"

namespace onnxc {
namespace {

// A function object: sorting calls it inline.
constexpr auto begins_before = [](const ByteRange& a, const ByteRange& b) {
  return a.begin < b.begin;
};

// Moves `at` past the range, unless `bytes` fit before it: then false.
bool pass(std::int64_t& at, std::int64_t bytes, const ByteRange& range) {
  if (checked_add(at, bytes) <= range.begin) return false;
  at = std::max(at, range.end);
  return true;
}

// The lowest offset outside of these ranges, whose ends are outside.
std::int64_t lowest_outside(std::vector<ByteRange>& taken) {
  std::sort(taken.begin(), taken.end(), begins_before);
  std::int64_t at = 0;
  for (const ByteRange& range : taken) {
    if (at <= range.begin) break;
    at = std::max(at, range.end);
  }
  return at;
}

// Calls f with the largest nodes that hold steps of `life` alone.
template <class F>
void each_inner_node(const Lifetime& life, std::size_t leaves, F f) {
  std::size_t low = life.first + leaves, high = life.last + 1 + leaves;
  for (; low < high; low /= 2, high /= 2) {
    if (low % 2 == 1) f(low++);
    if (high % 2 == 1) f(--high);
  }
}

// Calls f with the nodes that hold the first or the last step of `life`.
template <class F>
void each_outer_node(const Lifetime& life, std::size_t leaves, F f) {
  std::size_t low = life.first + leaves, high = life.last + leaves;
  for (; low != high; low /= 2, high /= 2) {
    f(low);
    f(high);
  }
  for (; low > 0; low /= 2) f(low);
}

}  // namespace

std::int64_t PlacedList::fit(const Lifetime& life, std::int64_t bytes) const {
  std::int64_t at = 0;
  for (const Placed& p : placed_)
    if (p.life.overlaps(life) && !pass(at, bytes, p.range)) break;
  return at;
}

std::int64_t PlacedList::fit(const Lifetime& life, std::int64_t bytes,
                             const std::vector<Neighbour>& neighbours) const {
  if (neighbours.empty()) return fit(life, bytes);
  std::vector<ByteRange> taken;
  for (const Placed& p : placed_) {
    if (!p.life.overlaps(life)) continue;
    const auto near = std::find_if(neighbours.begin(), neighbours.end(),
                                   [&](const Neighbour& n) { return n.id == p.id; });
    const bool may_overlap = near != neighbours.end();
    taken.push_back({p.range.begin - (may_overlap ? near->before : bytes),
                     may_overlap ? checked_add(p.range.begin, near->after) : p.range.end});
  }
  return lowest_outside(taken);
}

void PlacedList::add(const Lifetime& life, ByteRange range, std::size_t id) {
  const auto after = std::upper_bound(
      placed_.begin(), placed_.end(), range,
      [](const ByteRange& r, const Placed& p) { return begins_before(r, p.range); });
  placed_.insert(after, {life, range, id});
}

std::int64_t PlacedNeighbours::fit(const std::vector<Neighbour>& neighbours) {
  taken_.clear();
  for (const Neighbour& n : neighbours)
    if (const std::int64_t begin = begins_[n.id]; begin >= 0)
      taken_.push_back({begin - n.before, checked_add(begin, n.after)});
  return lowest_outside(taken_);
}

PlacedTree::PlacedTree(std::size_t steps)
    : leaves_(std::bit_ceil(std::max<std::size_t>(steps, 1))), nodes_(2 * leaves_) {}

void PlacedTree::clear() {
  for (Node& node : nodes_) {
    node.always.clear();
    node.sometimes.clear();
  }
}

// Of two lifetimes that overlap, one has an inner node below, or at, an inner node of the other,
// and all above an inner node are outer nodes.
std::int64_t PlacedTree::fit(const Lifetime& life, std::int64_t bytes) const {
  found_.clear();
  const auto add = [&](const Ranges& r) { found_.insert(found_.end(), r.begin(), r.end()); };
  each_outer_node(life, leaves_, [&](std::size_t node) { add(nodes_[node].always); });
  each_inner_node(life, leaves_, [&](std::size_t node) { add(nodes_[node].sometimes); });
  std::sort(found_.begin(), found_.end(), begins_before);
  std::int64_t at = 0;
  for (const ByteRange& range : found_)
    if (!pass(at, bytes, range)) break;
  return at;
}

void PlacedTree::add(const Lifetime& life, ByteRange range) {
  each_inner_node(life, leaves_, [&](std::size_t node) {
    join(nodes_[node].always, range);
    join(nodes_[node].sometimes, range);
  });
  each_outer_node(life, leaves_, [&](std::size_t node) { join(nodes_[node].sometimes, range); });
}

void PlacedTree::join(Ranges& ranges, ByteRange added) {
  const auto first =
      std::lower_bound(ranges.begin(), ranges.end(), added,
                       [](const ByteRange& a, const ByteRange& b) { return a.end < b.begin; });
  auto after = first;
  for (; after != ranges.end() && after->begin <= added.end; ++after) {
    added.begin = std::min(added.begin, after->begin);
    added.end = std::max(added.end, after->end);
  }
  if (first == after) {
    ranges.insert(first, added);
  } else {
    *first = added;
    ranges.erase(first + 1, after);
  }
}

}  // namespace onnxc

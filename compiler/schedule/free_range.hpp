// Where in the arena a buffer fits among those that are placed already. Three ways to look, with
// the same results: for few buffers, for many, and for lifetimes of which few overlap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace onnxc {

// The steps from a buffer's first write to its last read, both included.
struct Lifetime {
  std::size_t first = SIZE_MAX, last = 0;
  bool used() const { return first != SIZE_MAX; }
  bool overlaps(const Lifetime& other) const { return first <= other.last && other.first <= last; }
};

// Bytes of the arena, from `begin` up to `end`.
struct ByteRange {
  std::int64_t begin, end;
};

// A buffer that another one may overlap: at offsets up to its own less `before`, or from its own
// plus `after` on.
struct Neighbour {
  std::size_t id;
  std::int64_t before, after;
};

// Walks all placed buffers: the time for one grows with their number.
class PlacedList {
 public:
  void clear() { placed_.clear(); }
  // The lowest offset with `bytes` that no placed buffer takes while `life` lasts. Throws
  // OverflowError.
  std::int64_t fit(const Lifetime& life, std::int64_t bytes) const;
  // The same where some of the placed buffers may be overlapped.
  std::int64_t fit(const Lifetime& life, std::int64_t bytes,
                   const std::vector<Neighbour>& neighbours) const;
  void add(const Lifetime& life, ByteRange range, std::size_t id = 0);

 private:
  struct Placed {
    Lifetime life;
    ByteRange range;
    std::size_t id;
  };
  std::vector<Placed> placed_;  // by offset
};

// Looks only at buffers whose lifetimes overlap: every one of these is a neighbour.
class PlacedNeighbours {
 public:
  // Buffers have ids below `count`.
  void clear(std::size_t count) { begins_.assign(count, -1); }
  // As above.
  std::int64_t fit(const std::vector<Neighbour>& neighbours);
  void add(std::int64_t begin, std::size_t id) { begins_[id] = begin; }

 private:
  std::vector<std::int64_t> begins_;  // -1: not placed
  std::vector<ByteRange> taken_;
};

// A segment tree over the steps. The time for one buffer grows with the logarithm of the number of
// steps, and with the gaps between what is placed.
class PlacedTree {
 public:
  // Lifetimes end before step `steps`.
  explicit PlacedTree(std::size_t steps);
  void clear();
  // As above.
  std::int64_t fit(const Lifetime& life, std::int64_t bytes) const;
  void add(const Lifetime& life, ByteRange range);

 private:
  using Ranges = std::vector<ByteRange>;  // sorted, neither overlapping nor touching
  struct Node {
    Ranges always, sometimes;  // taken in every step, and in some step, below the node
  };
  static void join(Ranges& ranges, ByteRange added);

  std::size_t leaves_;
  std::vector<Node> nodes_;  // the root is node 1, the children of i are 2 * i and 2 * i + 1
  mutable Ranges found_;
};

}  // namespace onnxc

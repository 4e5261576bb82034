// sequence.cpp - optionals and sequences of tensors against std::vector.
#include "templates/sequence/sequence.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "templates/sequence/optional.hpp"
#include "templates/sequence/stack_sequence.hpp"

namespace {

using onnxc::Extent;
using onnxc::Index;
using onnxc::Status;
using onnxc::Value;
using Ints = std::vector<int>;
using Extents = std::vector<Index>;

struct Matrix {
  Index rank = 2, dims[2];
};
struct Concat {
  Index rank, axis, outer, extent, inner;
  bool stack;
};
struct Split {
  Index rank = 2, dims[2] = {2, 5}, axis = 1, outer = 2, extent = 5, inner = 1, count;
  bool equal, keep;
};

// A sequence of vectors.
Value sequence_of(onnxc::Heap& heap, const std::vector<Ints>& members) {
  Value list(heap);
  REQUIRE(onnxc::sequence_empty(list) == Status::ok);
  for (const Ints& member : members) {
    struct {
      Index rank = 1, dims[1];
    } s;
    s.dims[0] = static_cast<Index>(member.size());
    REQUIRE(onnxc::sequence_append(s, member.data(), list) == Status::ok);
  }
  return list;
}

Ints elements(const Value& tensor) {
  return Ints(tensor.data<int>(), tensor.data<int>() + tensor.size());
}

std::vector<Ints> members(const Value& list) {
  std::vector<Ints> all;
  for (std::int64_t i = 0; i < list.size(); ++i) all.push_back(elements(list.at(i)));
  return all;
}

}  // namespace

TEST_CASE("optional", "[sequence]") {
  onnxc::Heap heap(onnxc::malloc_allocator());
  const Value full = sequence_of(heap, {{1, 2}}).at(0);
  Value empty(heap), y(heap);
  bool exists = true;
  onnxc::has_element(empty, &exists);
  CHECK_FALSE(exists);
  CHECK(onnxc::get_element(empty, y) == Status::bad_value);
  onnxc::has_element(full, &exists);
  CHECK(exists);
  REQUIRE(onnxc::get_element(full, y) == Status::ok);
  CHECK(elements(y) == Ints{1, 2});
  onnxc::clear_value(y);
  CHECK_FALSE(y.exists());
  CHECK(elements(full) == Ints{1, 2});
}

TEST_CASE("insert, erase and read members of a sequence", "[sequence]") {
  onnxc::Heap heap(onnxc::malloc_allocator());
  const std::vector<Ints> x = {{1}, {2, 2}, {}, {4}};
  const Value list = sequence_of(heap, x);
  const Value fresh = sequence_of(heap, {{9, 9}}).at(0);
  Value y(heap);
  for (std::int64_t position = -6; position <= 6; ++position) {
    CAPTURE(position);
    const std::int64_t from_start = position < 0 ? position + 4 : position;
    std::vector<Ints> want = x;
    const Status inserted = onnxc::sequence_insert_value(list, fresh, &position, y);
    if (from_start < 0 || from_start > 4) {
      CHECK(inserted == Status::bad_index);
    } else {
      want.insert(want.begin() + from_start, Ints{9, 9});
      CHECK(inserted == Status::ok);
      CHECK(members(y) == want);
    }
    const bool there = from_start >= 0 && from_start < 4;
    const Status wanted = there ? Status::ok : Status::bad_index;
    CHECK(onnxc::sequence_at(list, &position, y) == wanted);
    if (there) CHECK(elements(y) == x[static_cast<std::size_t>(from_start)]);
    CHECK(onnxc::sequence_erase(list, &position, y) == wanted);
    if (!there) continue;
    want = x;
    want.erase(want.begin() + from_start);
    CHECK(members(y) == want);
  }
  CHECK(members(list) == x);
  std::int64_t length = 0;
  onnxc::sequence_length(list, &length);
  CHECK(length == 4);
}

TEST_CASE("a sequence joined along an axis and along a new one", "[sequence]") {
  onnxc::Heap heap(onnxc::malloc_allocator());
  const Ints a = {1, 2, 3, 4, 5, 6}, b = {7, 8, 9, 10};
  Value list(heap);
  REQUIRE(list.make_list());
  REQUIRE(onnxc::sequence_append(Matrix{2, {2, 3}}, a.data(), list) == Status::ok);
  REQUIRE(onnxc::sequence_append(Matrix{2, {2, 2}}, b.data(), list) == Status::ok);
  const Concat joined{2, 1, 2, 5, 1, false};
  Extents extents(2);
  REQUIRE(onnxc::concat_sequence_extents(joined, list, extents.data()) == Status::ok);
  CHECK(extents == Extents{2, 5});
  Ints y(10);
  onnxc::concat_sequence(joined, list, y.data());
  CHECK(y == Ints{1, 2, 3, 7, 8, 4, 5, 6, 9, 10});
  CHECK(onnxc::concat_sequence_extents(Concat{2, 0, 1, 4, 3, false}, list, extents.data()) ==
        Status::bad_shape);

  const Value vectors = sequence_of(heap, {{1, 2, 3}, {4, 5, 6}});
  const Concat columns{2, 1, 3, 2, 1, true};
  REQUIRE(onnxc::concat_sequence_extents(columns, vectors, extents.data()) == Status::ok);
  CHECK(extents == Extents{3, 2});
  y.resize(6);
  onnxc::concat_sequence(columns, vectors, y.data());
  CHECK(y == Ints{1, 4, 2, 5, 3, 6});
}

TEST_CASE("stack_sequence", "[sequence]") {
  onnxc::Heap heap(onnxc::malloc_allocator());
  Value y(heap);
  REQUIRE(onnxc::stack_sequence(sequence_of(heap, {{1, 2}, {3, 4}, {5, 6}}), y) == Status::ok);
  CHECK(y.rank() == 2);
  CHECK(y.dim(0) == 3);
  CHECK(y.dim(1) == 2);
  CHECK(elements(y) == Ints{1, 2, 3, 4, 5, 6});
  CHECK(onnxc::stack_sequence(sequence_of(heap, {{1, 2}, {3}}), y) == Status::bad_shape);
  CHECK(onnxc::stack_sequence(sequence_of(heap, {}), y) == Status::bad_value);
}

TEST_CASE("split_to_sequence", "[sequence]") {
  onnxc::Heap heap(onnxc::malloc_allocator());
  const Ints x = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  Value y(heap);
  const std::int64_t two[] = {2}, sizes[] = {1, 0, 4}, short_sizes[] = {1, 2}, zero[] = {0};
  Split s;
  s.count = 1, s.equal = true, s.keep = true;
  REQUIRE(onnxc::split_to_sequence(s, x.data(), two, y) == Status::ok);
  CHECK(members(y) == std::vector<Ints>{{0, 1, 5, 6}, {2, 3, 7, 8}, {4, 9}});
  CHECK(y.at(2).rank() == 2);
  CHECK(y.at(2).dim(1) == 1);
  CHECK(onnxc::split_to_sequence(s, x.data(), zero, y) == Status::bad_value);
  s.count = 3, s.equal = false;
  REQUIRE(onnxc::split_to_sequence(s, x.data(), sizes, y) == Status::ok);
  CHECK(members(y) == std::vector<Ints>{{0, 5}, {}, {1, 2, 3, 4, 6, 7, 8, 9}});
  s.count = 2;
  CHECK(onnxc::split_to_sequence(s, x.data(), short_sizes, y) == Status::bad_value);
  const std::int64_t one[] = {1};
  s.count = 1, s.equal = true, s.keep = false;
  REQUIRE(onnxc::split_to_sequence(s, x.data(), one, y) == Status::ok);
  CHECK(members(y) == std::vector<Ints>{{0, 5}, {1, 6}, {2, 7}, {3, 8}, {4, 9}});
  CHECK(y.at(0).rank() == 1);
}

// Strided views: every operation is compared with what it does to the indices of elements.
#include <catch2/catch.hpp>
#include <numeric>

#include "compiler/ir/view.hpp"

namespace onnxc {
namespace {

// The positions of a view's elements in its base, in row-major order.
std::vector<std::int64_t> positions(const View& v) {
  std::vector<std::int64_t> out{v.offset.value()};
  for (std::size_t i = 0; i < v.rank(); ++i) {
    std::vector<std::int64_t> next;
    for (std::int64_t start : out)
      for (std::int64_t k = 0; k < v.dims[i].value(); ++k)
        next.push_back(start + k * v.strides[i].value());
    out = std::move(next);
  }
  return out;
}

using Positions = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("a dense view walks its base in order", "[view]") {
  Positions all(24);
  std::iota(all.begin(), all.end(), 0);
  CHECK(positions(dense_view({2, 3, 4})) == all);
  CHECK(is_dense(dense_view({2, 3, 4})));
  CHECK(is_dense({{2, 1, 3}, {3, 99, 1}, 0}));
  CHECK(is_dense({{1, 1}, {7, 7}, 5}));
  CHECK_FALSE(is_dense({{2, 3}, {4, 1}, 0}));
  CHECK_FALSE(is_dense({{2, 3}, {1, 2}, 0}));
}

TEST_CASE("views are transposed, sliced, selected", "[view]") {
  const View v = dense_view({2, 3});
  CHECK(positions(transpose(v, {1, 0})) == Positions{0, 3, 1, 4, 2, 5});
  CHECK(positions(slice(v, 1, 1, 2)) == Positions{1, 2, 4, 5});
  CHECK(positions(slice(v, 1, 2, 2, -2)) == Positions{2, 0, 5, 3});
  CHECK(positions(slice(transpose(v, {1, 0}), 0, 1, 2)) == Positions{1, 4, 2, 5});
  CHECK(positions(select(v, 0, 1)) == Positions{3, 4, 5});
  CHECK(positions(select(v, 1, 2)) == Positions{2, 5});
  CHECK(slice(v, 0, 1, 1, INT64_MAX).strides == v.strides);
}

TEST_CASE("views broadcast as ONNX says", "[view]") {
  const View row = dense_view({1, 2});
  CHECK(positions(*broadcast(row, {3, 2})) == Positions{0, 1, 0, 1, 0, 1});
  CHECK(positions(*broadcast(dense_view({2}), {2, 2})) == Positions{0, 1, 0, 1});
  CHECK_FALSE(broadcast(row, {3, 4}));
  CHECK_FALSE(broadcast(row, {2}));
  const Dim n = Dim::symbol("n"), m = Dim::symbol("m");
  CHECK(broadcast(dense_view({n, 4}), {2, n, 4})->strides == Shape{0, 4, 1});
  CHECK_FALSE(broadcast(dense_view({n, 4}), {m, 4}));
}

TEST_CASE("views are reshaped where strides can express it", "[view]") {
  const View v = dense_view({4, 6});
  CHECK(*reshape(v, {2, 2, 3, 2}) == dense_view({2, 2, 3, 2}));
  CHECK(*reshape(v, {24}) == dense_view({24}));
  const View t = transpose(v, {1, 0});
  CHECK(positions(*reshape(t, {2, 3, 4})) == positions(t));
  CHECK(positions(*reshape(t, {6, 1, 2, 2})) == positions(t));
  CHECK_FALSE(reshape(t, {24}));
  CHECK_FALSE(reshape(t, {4, 6}));
  CHECK_FALSE(reshape(v, {5, 5}));
  CHECK_FALSE(reshape(v, {4, 6, 2}));
  const Dim n = Dim::symbol("n");
  CHECK(*reshape(dense_view({n, 12}), {n, 3, 4}) == dense_view({n, 3, 4}));
  CHECK(*reshape(dense_view({n, 3, 4}), {n * 3, 4}) == dense_view({n * 3, 4}));
  CHECK_FALSE(reshape(transpose(dense_view({n, 3, 4}), {1, 0, 2}), {n * 3, 4}));
}

TEST_CASE("axes collapse that all operands walk as one", "[view]") {
  Shape dims{2, 1, 3, 4}, a = row_major(dims), b{12, 5, 4, 1}, c{0, 0, 0, 1};
  Shape two = dims;
  collapse(two, {&a, &b});
  CHECK(two == Shape{24});
  CHECK(a == Shape{1});
  CHECK(b == Shape{1});
  a = row_major(dims);
  collapse(dims, {&a, &c});
  CHECK(dims == Shape{6, 4});
  CHECK(a == Shape{4, 1});
  CHECK(c == Shape{0, 1});
  Shape ones{1, 1}, strides{3, 3};
  collapse(ones, {&strides});
  CHECK(ones.empty());
  CHECK(strides.empty());
}

}  // namespace onnxc

// indexing.cpp - kernels that address elements by index, against naive loops.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "compiler/kernels/movement_calls.hpp"
#include "compiler/kernels/reduction_calls.hpp"
#include "templates/matmul/det.hpp"
#include "templates/matmul/einsum.hpp"
#include "templates/movement/bit_cast.hpp"
#include "templates/movement/check_dims.hpp"
#include "templates/movement/eye.hpp"
#include "templates/movement/gather_elements.hpp"
#include "templates/movement/gather_nd.hpp"
#include "templates/movement/nonzero.hpp"
#include "templates/movement/one_hot.hpp"
#include "templates/movement/pad_widths.hpp"
#include "templates/movement/reverse_sequence.hpp"
#include "templates/movement/slice_bounds.hpp"
#include "templates/movement/trilu.hpp"
#include "templates/normalization/hardmax.hpp"
#include "templates/random/dropout.hpp"
#include "templates/reduction/cumulative_axis.hpp"
#include "templates/reduction/reduce_axes.hpp"
#include "templates/reduction/top_k.hpp"

using namespace onnxc;

namespace {

using Ints = std::vector<int>;
using Wide = std::vector<std::int64_t>;
constexpr std::int64_t kMin64 = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax64 = std::numeric_limits<std::int64_t>::max();

}  // namespace

TEST_CASE("gather_elements and scatter_elements", "[indexing]") {
  struct {
    Index dims[2], strides[2], axis, extent, count, size;
  } const s{{2, 2}, {3, 1}, 1, 3, 4, 6};
  const Ints x = {1, 2, 3, 4, 5, 6}, updates = {10, 20, 30, 40};
  const Wide good = {-1, 0, 1, 1}, bad = {0, 3, 0, 0};
  Ints y(4), z(6);
  CHECK(gather_elements<2>(s, x.data(), good.data(), y.data()) == Status::ok);
  CHECK(y == Ints{3, 1, 5, 5});
  CHECK(gather_elements<2>(s, x.data(), bad.data(), y.data()) == Status::bad_index);
  CHECK(scatter_elements<2, ScatterOp::set>(s, x.data(), good.data(), updates.data(), z.data()) ==
        Status::ok);
  CHECK(z == Ints{20, 2, 10, 4, 40, 6});
  CHECK(scatter_elements<2, ScatterOp::add>(s, x.data(), good.data(), updates.data(), z.data()) ==
        Status::ok);
  CHECK(z == Ints{21, 2, 13, 4, 75, 6});
  CHECK(scatter_elements<2, ScatterOp::max>(s, x.data(), bad.data(), updates.data(), z.data()) ==
        Status::bad_index);
}

TEST_CASE("gather_nd and scatter_nd", "[indexing]") {
  struct {
    Index batch, batch_size, count, inner, extents[2], strides[2], size;
  } const s{1, 12, 2, 2, {2, 3}, {6, 2}, 12};
  Ints x;
  for (int i = 0; i < 12; ++i) x.push_back(i);
  const Wide tuples = {1, -1, 0, 1}, bad = {0, 0, 2, 0};
  const Ints updates = {10, 11, 2, 3};
  Ints y(4), z(12);
  CHECK(gather_nd<2>(s, x.data(), tuples.data(), y.data()) == Status::ok);
  CHECK(y == Ints{10, 11, 2, 3});
  CHECK(gather_nd<2>(s, x.data(), bad.data(), y.data()) == Status::bad_index);
  CHECK(scatter_nd<2, ScatterOp::mul>(s, x.data(), tuples.data(), updates.data(), z.data()) ==
        Status::ok);
  CHECK(z == Ints{0, 1, 4, 9, 4, 5, 6, 7, 8, 9, 100, 121});
  CHECK(scatter_nd<2, ScatterOp::set>(s, x.data(), bad.data(), updates.data(), z.data()) ==
        Status::bad_index);
}

TEST_CASE("top_k sorts, prefers the first of equals, and puts NaN highest", "[indexing]") {
  using Shape = onnxc::TopKShape<onnxc::Index>;
  const float nan = std::nanf("");
  const std::vector<float> x = {1, 5, 5, nan, -2, 3};
  std::vector<float> v(6);
  Wide at(6);
  top_k(Shape{1, 6, 1, 4, true}, x.data(), v.data(), at.data());
  CHECK(std::vector<std::int64_t>(at.begin(), at.begin() + 4) == Wide{3, 1, 2, 5});
  top_k(Shape{1, 6, 1, 6, false}, x.data(), v.data(), at.data());
  CHECK(at == Wide{4, 0, 5, 1, 2, 3});
  top_k(Shape{1, 3, 2, 2, true}, x.data(), v.data(), at.data());
  CHECK(std::vector<std::int64_t>(at.begin(), at.begin() + 4) == Wide{1, 1, 0, 0});
  top_k(Shape{1, 3, 2, 0, true}, x.data(), v.data(), at.data());
}

TEST_CASE("top_k is a stable sort, with both zeros alike", "[indexing]") {
  struct Shape {
    Index outer, extent, inner, k;
    bool largest;
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    const auto extent = 1 + static_cast<Index>(random() % 70);
    const Shape s = {1, extent, 1, 1 + static_cast<Index>(random()) % extent, random() % 2 == 0};
    std::vector<float> x(static_cast<std::size_t>(extent));
    for (float& v : x) {
      const auto n = random() % 9;
      v = n == 0 ? nan : n == 1 ? -0.0f : static_cast<float>(n) * 1e8f - 4e8f;
      if (n == 4) v = 0.0f;
    }
    std::vector<std::int64_t> order(x.size()), at(static_cast<std::size_t>(s.k));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t i, std::int64_t k) {
      const float a = x[static_cast<std::size_t>(i)], b = x[static_cast<std::size_t>(k)];
      if (s.largest) return b == b && (a != a || a > b);
      return a == a && (b != b || a < b);
    });
    std::vector<float> v(at.size());
    top_k(s, x.data(), v.data(), at.data());
    order.resize(at.size());
    CHECK(at == order);
    CHECK(std::memcmp(&v[0], &x[static_cast<std::size_t>(order[0])], sizeof v[0]) == 0);
  }
}

TEST_CASE("cumulative_axis", "[indexing]") {
  struct Shape {
    Index rank, dims[2];
    bool exclusive, reverse;
  };
  const Ints x = {1, 2, 3, 4, 5, 6};
  Ints y(6);
  const std::int64_t last = -1, first = 0, none = 2;
  CHECK(cumulative_axis<reduce_op::Sum>(Shape{2, {2, 3}, false, false}, x.data(), &last,
                                        y.data()) == Status::ok);
  CHECK(y == Ints{1, 3, 6, 4, 9, 15});
  CHECK(cumulative_axis<reduce_op::Sum>(Shape{2, {2, 3}, true, true}, x.data(), &last, y.data()) ==
        Status::ok);
  CHECK(y == Ints{5, 3, 0, 11, 6, 0});
  CHECK(cumulative_axis<reduce_op::Prod>(Shape{2, {2, 3}, false, false}, x.data(), &first,
                                         y.data()) == Status::ok);
  CHECK(y == Ints{1, 2, 3, 4, 10, 18});
  CHECK(cumulative_axis<reduce_op::Sum>(Shape{2, {2, 3}, false, false}, x.data(), &none,
                                        y.data()) == Status::bad_index);
}

TEST_CASE("trilu clamps the diagonal", "[indexing]") {
  using Shape = onnxc::TriluShape<onnxc::Index>;
  const Ints x = {1, 2, 3, 4, 5, 6};
  struct {
    bool upper;
    std::int64_t k;
    Ints want;
  } const cases[] = {{true, 0, {1, 2, 3, 0, 5, 6}},      {true, 1, {0, 2, 3, 0, 0, 6}},
                     {false, 0, {1, 0, 0, 4, 5, 0}},     {false, kMax64, x},
                     {true, kMax64, {0, 0, 0, 0, 0, 0}}, {true, kMin64, x}};
  for (const auto& c : cases) {
    Ints y(6);
    trilu(Shape{1, 2, 3, c.upper}, x.data(), &c.k, y.data());
    CHECK(y == c.want);
  }
}

TEST_CASE("slice_bounds", "[indexing]") {
  struct Shape {
    Index dims[2], out[2], count;
  };
  const Ints x = {0, 1, 2, 3, 4, 5, 6, 7};  // [2, 4]
  const std::int64_t* none = nullptr;
  struct {
    Wide starts, ends, axes, steps;
    Index out[2];
    Ints want;
  } const cases[] = {{{1}, {kMax64}, {1}, {1}, {2, 3}, {1, 2, 3, 5, 6, 7}},
                     {{-1}, {kMin64}, {-1}, {-2}, {2, 2}, {3, 1, 7, 5}},
                     {{kMin64}, {1}, {0}, {kMax64}, {1, 4}, {0, 1, 2, 3}},
                     {{kMax64}, {kMin64}, {1}, {kMin64}, {2, 1}, {3, 7}}};
  for (const auto& c : cases) {
    Ints y(c.want.size());
    const Shape s{{2, 4}, {c.out[0], c.out[1]}, 1};
    CHECK(slice_bounds<2>(s, x.data(), c.starts.data(), c.ends.data(), c.axes.data(),
                          c.steps.data(), y.data()) == Status::ok);
    CHECK(y == c.want);
  }
  const std::int64_t start = 0, end = 1, zero = 0, axis = 2, twice[] = {0, 0};
  Ints y(8);
  const Shape s{{2, 4}, {1, 4}, 1}, two{{2, 4}, {1, 4}, 2};
  CHECK(slice_bounds<2>(s, x.data(), &start, &end, none, none, y.data()) == Status::ok);
  CHECK(slice_bounds<2>(s, x.data(), &start, &end, none, &zero, y.data()) == Status::bad_value);
  CHECK(slice_bounds<2>(s, x.data(), &start, &end, &axis, none, y.data()) == Status::bad_index);
  CHECK(slice_bounds<2>(s, x.data(), &start, &start, none, none, y.data()) == Status::bad_shape);
  CHECK(slice_bounds<2>(two, x.data(), twice, twice, twice, none, y.data()) == Status::bad_index);
}

TEST_CASE("pad_widths crops and pads, and checks the result", "[indexing]") {
  struct {
    Index source[2], dims[2], count;
  } const s{{2, 3}, {2, 4}, 1};
  const Ints x = {0, 1, 2, 3, 4, 5};
  const int value = 9;
  const std::int64_t axis = 1, pads[] = {-1, 2}, wrong[] = {1, 1}, huge[] = {kMax64, kMin64};
  Ints y(8);
  CHECK(pad_widths<2, PadMode::constant>(s, x.data(), pads, &value, &axis, y.data()) == Status::ok);
  CHECK(y == Ints{1, 2, 9, 9, 4, 5, 9, 9});
  CHECK(pad_widths<2, PadMode::edge>(s, x.data(), pads, &value, &axis, y.data()) == Status::ok);
  CHECK(y == Ints{1, 2, 2, 2, 4, 5, 5, 5});
  CHECK(pad_widths<2, PadMode::edge>(s, x.data(), wrong, &value, &axis, y.data()) ==
        Status::bad_shape);
  CHECK(pad_widths<2, PadMode::edge>(s, x.data(), huge, &value, &axis, y.data()) ==
        Status::bad_shape);
}

TEST_CASE("reduce_axes", "[indexing]") {
  struct {
    Index dims[3], axis_count;
    bool keep, noop;
    Index out_rank, out[2];
  } const s{{2, 3, 2}, 1, false, false, 2, {2, 2}};
  Ints x, y(4);
  for (int i = 0; i < 12; ++i) x.push_back(i);
  const std::int64_t middle = -2, first = 0, outside = 3;
  CHECK(reduce_axes<reduce_op::Sum, 3>(s, x.data(), &middle, y.data()) == Status::ok);
  CHECK(y == Ints{6, 9, 24, 27});
  CHECK(reduce_axes<reduce_op::Sum, 3>(s, x.data(), &first, y.data()) == Status::bad_shape);
  CHECK(reduce_axes<reduce_op::Sum, 3>(s, x.data(), &outside, y.data()) == Status::bad_index);
}

TEST_CASE("nonzero and compress", "[indexing]") {
  struct {
    Index rank, dims[2], size, found;
  } s{2, {2, 3}, 6, 3};
  const Ints x = {0, 7, 0, 8, 0, 9};
  Wide y(6);
  CHECK(nonzero(s, x.data(), y.data()) == Status::ok);
  CHECK(y == Wide{0, 1, 1, 1, 0, 2});
  s.found = 2;
  CHECK(nonzero(s, x.data(), y.data()) == Status::bad_shape);
  struct {
    Index outer, extent, inner, count, found;
  } const c{2, 3, 1, 2, 1};
  const bool condition[] = {false, true};
  Ints z(2);
  CHECK(compress(c, x.data(), condition, z.data()) == Status::ok);
  CHECK(z == Ints{7, 0});
}

TEST_CASE("one_hot, eye, hardmax, expect", "[indexing]") {
  struct {
    Index outer, depth, inner, rows, cols, diagonal, extent, count, want[2], low, high;
  } const s{3, 3, 1, 2, 2, 1, 2, 2, {2, 3}, 0, -1};
  const float indices[] = {-1, 1, 7};
  const int values[] = {5, 6};
  Ints y(9);
  one_hot(s, indices, values, y.data());
  CHECK(y == Ints{5, 5, 6, 5, 6, 5, 5, 5, 5});
  float e[6];
  eye(s, e);
  CHECK((e[0] == 0 && e[1] == 1 && e[2] == 0 && e[3] == 0));
  const float x[] = {1, 1, 0, 2, 3, 1};
  hardmax(s, x, e);
  CHECK((e[0] == 1 && e[1] == 0 && e[2] == 0 && e[3] == 1 && e[4] == 1 && e[5] == 0));
  const std::int64_t good[] = {2, 3}, bad[] = {3, 2};
  CHECK(expect(s, good) == Status::ok);
  CHECK(expect(s, bad) == Status::bad_shape);
}

TEST_CASE("reverse_sequence, det, bit_cast, dropout", "[indexing]") {
  struct {
    Index first, second, inner;
    bool batch_first;
    Index batch, size, count;
    float seed;
    Index stream;
  } const s{2, 3, 1, true, 1, 3, 2, 0, 0};
  const Ints x = {1, 2, 3, 4, 5, 6};
  const Wide lengths = {2, 3}, bad = {4, 0};
  Ints y(6);
  CHECK(reverse_sequence(s, x.data(), lengths.data(), y.data()) == Status::ok);
  CHECK(y == Ints{2, 1, 3, 6, 5, 4});
  CHECK(reverse_sequence(s, x.data(), bad.data(), y.data()) == Status::bad_index);
  const double matrix[] = {0, 2, 1, 1, 0, 3, 4, 1, 0};
  double d = 0, work[9];
  det(s, matrix, &d, work);
  CHECK(d == Approx(25));
  const float ones[] = {1.0f, -2.0f};
  std::uint32_t bits[2];
  bit_cast(s, ones, bits);
  CHECK((bits[0] == 0x3f800000u && bits[1] == 0xc0000000u));
  const bool on = true, off = false;
  const float half = 0.5f, none = 0;
  float z[2];
  bool mask[2];
  CHECK(dropout(s, ones, &half, &off, z, mask) == Status::ok);
  CHECK(dropout(s, ones, &none, &on, z, mask) == Status::ok);
  CHECK((z[1] == -2.0f && mask[1]));
  CHECK(dropout(s, ones, &half, &on, z, mask) == Status::ok);
  for (int i = 0; i < 2; ++i) CHECK(z[i] == (mask[i] ? 2 * ones[i] : 0.0f));
  const float all = 1, beyond = 1.5f, nan = kNaN;
  CHECK(dropout(s, ones, &all, &on, z, mask) == Status::ok);
  CHECK((z[0] == 0 && z[1] == 0 && !mask[0] && !mask[1]));
  CHECK(dropout(s, ones, &beyond, &on, z, mask) == Status::bad_value);
  CHECK(dropout(s, ones, &nan, &on, z, mask) == Status::bad_value);
}

TEST_CASE("einsum", "[indexing]") {
  struct {
    Index dims[3], strides[6];
  } const s{{2, 2, 3}, {3, 0, 1, 0, 1, 2}};  // ij,jk->ik
  const Ints a = {1, 2, 3, 4, 5, 6}, b = {1, 0, 0, 1, 2, 2};
  Ints y(4);
  einsum<3, 2>(s, y.data(), a.data(), b.data());
  CHECK(y == Ints{7, 8, 16, 17});
}

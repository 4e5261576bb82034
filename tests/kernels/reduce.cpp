// reduce.cpp - reductions and arg_reduce against naive loops.
#include "templates/reduction/reduce.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "compiler/kernels/reduction_calls.hpp"
#include "templates/reduction/arg_reduce.hpp"

using namespace onnxc;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

struct Rows {  // [a, r, b]: r is reduced
  Index kept[2], kept_strides[2], reduced[1], reduced_strides[1], count;
};

struct Around {
  static constexpr Index kept[1] = {3}, kept_strides[1] = {2}, reduced[2] = {4, 2};
  static constexpr Index reduced_strides[2] = {6, 1}, count = 8;
};

template <template <class> class Op, class T>
std::vector<T> over_middle(const std::vector<T>& x, Index a, Index r, Index b) {
  std::vector<T> y(static_cast<std::size_t>(a * b));
  const Rows s{{a, b}, {r * b, 1}, {r}, {b}, r};
  reduce<Op, 2, 1>(s, x.data(), y.data());
  return y;
}

template <template <class> class Op, class T>
T over_all(const std::vector<T>& x) {
  struct {
    Index kept[1], kept_strides[1], reduced[1], reduced_strides[1], count;
  } s{{1}, {0}, {static_cast<Index>(x.size())}, {1}, static_cast<Index>(x.size())};
  T y{};
  reduce<Op, 1, 1>(s, x.data(), &y);
  return y;
}

}  // namespace

TEST_CASE("sums over the middle axis", "[reduce]") {
  struct {
    Index a, r, b;
  } const cases[] = {{1, 1, 1},  {3, 5, 1},  {2, 40, 1}, {2, 3, 4},
                     {1, 7, 33}, {2, 1, 16}, {2, 0, 3}};
  for (const auto& c : cases) {
    CAPTURE(c.a, c.r, c.b);
    std::vector<float> x;
    for (Index i = 0; i < c.a * c.r * c.b; ++i) x.push_back(static_cast<float>((i * 7) % 13) - 4);
    const auto sum = over_middle<reduce_op::Sum>(x, c.a, c.r, c.b);
    const auto max = over_middle<reduce_op::Max>(x, c.a, c.r, c.b);
    for (Index i = 0; i < c.a; ++i)
      for (Index k = 0; k < c.b; ++k) {
        float want = 0, largest = -kInf;
        for (Index r = 0; r < c.r; ++r) {
          const float v = x[static_cast<std::size_t>((i * c.r + r) * c.b + k)];
          want += v;
          largest = std::fmax(largest, v);
        }
        REQUIRE(sum[static_cast<std::size_t>(i * c.b + k)] == want);
        REQUIRE(max[static_cast<std::size_t>(i * c.b + k)] == largest);
      }
  }
}

TEST_CASE("two reduced axes around a kept one", "[reduce]") {
  constexpr Around s{};
  std::vector<int> x;
  for (int i = 0; i < 24; ++i) x.push_back(i);
  int y[3];
  reduce<reduce_op::Sum, 1, 2>(s, x.data(), y);
  CHECK((y[0] == 76 && y[1] == 92 && y[2] == 108));
}

TEST_CASE("every reduction", "[reduce]") {
  const std::vector<float> x = {3, -4, 12};
  CHECK(over_all<reduce_op::Sum>(x) == 11);
  CHECK(over_all<reduce_op::Mean>(x) == Approx(11.0 / 3));
  CHECK(over_all<reduce_op::Prod>(x) == -144);
  CHECK(over_all<reduce_op::Max>(x) == 12);
  CHECK(over_all<reduce_op::Min>(x) == -4);
  CHECK(over_all<reduce_op::L1>(x) == 19);
  CHECK(over_all<reduce_op::L2>(x) == 13);
  CHECK(over_all<reduce_op::SumSquare>(x) == 169);
  CHECK(over_all<reduce_op::LogSum>(x) == Approx(std::log(11.0)));
  CHECK(over_all<reduce_op::LogSumExp>(x) ==
        Approx(12 + std::log1p(std::exp(-9.0) + std::exp(-16.0))));
  CHECK(over_all<reduce_op::LogSumExp>(std::vector<double>{1000, 1000}) ==
        Approx(1000 + std::log(2.0)));
  CHECK(over_all<reduce_op::LogSumExp>(std::vector<float>{kInf, 1}) == kInf);
  CHECK(over_all<reduce_op::Max>(std::vector<std::int8_t>{-3, 5}) == 5);
}

TEST_CASE("reductions of nothing, NaN and overflow", "[reduce]") {
  const std::vector<float> none;
  CHECK(over_all<reduce_op::Sum>(none) == 0);
  CHECK(over_all<reduce_op::Prod>(none) == 1);
  CHECK(over_all<reduce_op::Max>(none) == -kInf);
  CHECK(over_all<reduce_op::Min>(none) == kInf);
  CHECK(over_all<reduce_op::LogSumExp>(none) == -kInf);
  CHECK(over_all<reduce_op::LogSum>(none) == -kInf);
  CHECK(std::isnan(over_all<reduce_op::Mean>(none)));
  CHECK(over_all<reduce_op::Mean>(std::vector<int>{}) == 0);
  const float nan = std::nanf("");
  CHECK(std::isnan(over_all<reduce_op::Max>(std::vector<float>{1, nan, 2})));
  CHECK(std::isnan(over_all<reduce_op::LogSumExp>(std::vector<float>{1, nan, 2})));
  CHECK(std::isnan(over_all<reduce_op::LogSumExp>(std::vector<float>{nan, -kInf, 2})));
  CHECK(over_all<reduce_op::LogSumExp>(std::vector<float>{-kInf, 2, -kInf}) == 2);
  CHECK(over_all<reduce_op::LogSumExp>(std::vector<float>{-kInf, -kInf}) == -kInf);
  const int top = std::numeric_limits<int>::max();
  CHECK(over_all<reduce_op::Sum>(std::vector<int>{top, 1}) == std::numeric_limits<int>::min());
  CHECK(over_all<reduce_op::Prod>(std::vector<int>{top, top}) == 1);
  CHECK(over_all<reduce_op::L2>(std::vector<std::int64_t>{3, 4}) == 5);
  std::vector<float16> many(3000, float16(1.0f));
  CHECK(static_cast<float>(over_all<reduce_op::Sum>(many)) == 3000.0f);
}

TEST_CASE("arg_reduce", "[reduce]") {
  using Shape = onnxc::ArgReduceShape<onnxc::Index>;
  const float nan = std::nanf("");
  const float x[] = {1, 5, 5, 2, nan, 7, nan, 0};
  std::int64_t y[2];
  arg_reduce(Shape{2, 4, 1, true, false}, x, y);
  CHECK((y[0] == 1 && y[1] == 0));
  arg_reduce(Shape{2, 4, 1, true, true}, x, y);
  CHECK((y[0] == 2 && y[1] == 2));
  arg_reduce(Shape{1, 2, 2, false, false}, x, y);
  CHECK((y[0] == 0 && y[1] == 1));
}

// wide_sum.cpp - sums of two words against the compiler's own, and integer reductions whose sums
// are beyond their type.
#include "templates/reduction/wide_sum.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "templates/reduction/reduce.hpp"

using namespace onnxc;

namespace {

template <template <class> class Op, class C>
C reduced(const std::vector<C>& x) {
  struct {
    Index kept[1] = {1}, kept_strides[1] = {0}, reduced[1], reduced_strides[1] = {1}, count;
  } s;
  s.reduced[0] = s.count = static_cast<Index>(x.size());
  C y{};
  reduce<Op, 1, 1>(s, x.data(), &y);
  return y;
}

// Near the limits, or small.
template <class C>
std::vector<C> numbers(std::mt19937_64& random) {
  std::vector<C> x(1 + random() % 40);
  const int kind = static_cast<int>(random() % 3);
  for (C& v : x) {
    const auto bits = static_cast<C>(random());
    v = kind == 0 ? bits : static_cast<C>(bits % C{1000});
    if (kind == 2) v = static_cast<C>(std::numeric_limits<C>::max() - (v < C{0} ? C{0} : v));
  }
  return x;
}

#ifdef __SIZEOF_INT128__
__extension__ typedef __int128 Exact;

template <class C>
void check_means() {
  std::mt19937_64 random(7);
  for (int i = 0; i < 2000; ++i) {
    const auto x = numbers<C>(random);
    Exact sum = 0;
    for (C v : x) sum += v;
    REQUIRE(reduced<reduce_op::Mean>(x) == static_cast<C>(sum / static_cast<Exact>(x.size())));
  }
}
#endif

}  // namespace

#ifdef __SIZEOF_INT128__
TEST_CASE("means of integers are exact", "[wide]") {
  check_means<std::int32_t>();
  check_means<std::uint32_t>();
  check_means<std::int64_t>();
  check_means<std::uint64_t>();
}
#endif

TEST_CASE("roots of two words", "[wide]") {
  std::mt19937_64 random(3);
  for (int i = 0; i < 5000; ++i) {
    const std::uint64_t x = random() >> (random() % 64);
    const WideSum square = wide_square(x), below = wide_sum(square, {~0ull, ~0ull});
    REQUIRE(wide_root(square) == x);
    if (x > 0) REQUIRE(wide_root(below) == x - 1);
    if (x < ~0ull) REQUIRE(wide_root(wide_sum(square, {0, x})) == x);
  }
  CHECK(wide_root({~0ull, ~0ull}) == ~0ull);
}

TEST_CASE("norms and logarithms of integers whose sums overflow", "[wide]") {
  using I32 = std::int32_t;
  using I64 = std::int64_t;
  using U64 = std::uint64_t;
  CHECK(reduced<reduce_op::L2>(std::vector<I32>{60000, -80000}) == 100000);
  CHECK(reduced<reduce_op::L2>(std::vector<I64>{3000000000000000000, -4000000000000000000}) ==
        5000000000000000000);
  CHECK(reduced<reduce_op::L2>(std::vector<I64>{std::numeric_limits<I64>::min()}) ==
        std::numeric_limits<I64>::max());
  CHECK(reduced<reduce_op::L2>(std::vector<U64>{~0ull}) == ~0ull);
  CHECK(reduced<reduce_op::L1>(std::vector<I32>{-2147483647, 0}) == 2147483647);
  CHECK(reduced<reduce_op::LogSum>(std::vector<I32>{2147483647, 2147483647}) == 22);
  CHECK(reduced<reduce_op::LogSum>(std::vector<U64>{~0ull, ~0ull, ~0ull}) == 45);
  CHECK(reduced<reduce_op::LogSum>(std::vector<I64>{485165195}) == 19);
  CHECK(reduced<reduce_op::LogSumExp>(std::vector<I32>{16777217}) == 16777217);
  CHECK(reduced<reduce_op::LogSumExp>(std::vector<I64>{9007199254740993, 9007199254740992}) ==
        9007199254740993);
  CHECK(reduced<reduce_op::LogSumExp>(std::vector<I32>{-5, -5, -5}) == -3);
  CHECK(reduced<reduce_op::LogSumExp>(std::vector<I32>{0, 0, 0, -2000000000}) == 1);
}

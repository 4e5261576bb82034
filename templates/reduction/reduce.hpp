// reduce.hpp - sums, products, extremes and norms over some axes.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>

#include "runtime_min/half.hpp"
#include "runtime_min/simd.hpp"
#include "runtime_min/types.hpp"
#include "templates/fn/arithmetic.hpp"
#include "templates/fn/exponential.hpp"
#include "templates/fn/integer.hpp"
#include "templates/fn/selection.hpp"
#include "templates/reduction/wide_sum.hpp"

namespace onnxc {

// One reduction of elements of compute type C: an accumulator, how it takes an element, how two
// join, and the result.
namespace reduce_op {

// Integer sums wrap.
template <class C, class = void>
struct SumType {
  using type = C;
};
template <class C>
struct SumType<C, std::enable_if_t<std::is_integral_v<C>>> {
  using type = wrap_t<C>;
};

// Whether `add` takes vectors of floats, too: for what compilers do not infer by themselves.
struct ByElements {
  static constexpr bool by_vectors = false, in_any_order = false;
};
template <class V>
constexpr bool is_vector = (kLanes > 1 && std::is_same_v<V, vfloat>);

template <class C>
struct Sum {
  using Acc = typename SumType<C>::type;
  static Acc start() { return Acc{0}; }
  static constexpr bool by_vectors = std::is_same_v<C, float>, in_any_order = false;
  static Acc add(Acc a, C x) { return static_cast<Acc>(a + static_cast<Acc>(x)); }
  template <class V, std::enable_if_t<is_vector<V>, int> = 0>
  static V add(V a, V x) {
    return a + x;
  }
  static Acc join(Acc a, Acc b) { return static_cast<Acc>(a + b); }
  static C finish(Acc a, Index) { return static_cast<C>(a); }
};

// Integers are added in more bits, as the mean fits where the sum does not.
template <class C>
struct RealMean : Sum<C> {
  static C finish(C a, Index count) { return a / static_cast<C>(count); }  // of nothing: NaN
};
template <class C>
struct IntegerMean : ByElements {
  static constexpr bool narrow = sizeof(C) < sizeof(std::int64_t);
  using Acc = std::conditional_t<narrow, std::int64_t, WideSum>;
  static Acc start() { return Acc{}; }
  static Acc add(Acc a, C x) {
    if constexpr (narrow)
      return a + static_cast<std::int64_t>(x);
    else
      return wide_sum(a, wide_number(x));
  }
  static Acc join(Acc a, Acc b) {
    if constexpr (narrow)
      return a + b;
    else
      return wide_sum(a, b);
  }
  // Truncated towards zero; of nothing: 0.
  static C finish(Acc a, Index count) {
    if (count == 0) return C{0};
    if constexpr (narrow) {
      return static_cast<C>(a / static_cast<std::int64_t>(count));
    } else {
      const bool negative = std::is_signed_v<C> && a.high >> 63 != 0;
      const WideSum magnitude =
          negative ? wide_sum({~a.high, ~a.low}, wide_number(std::uint64_t{1})) : a;
      const std::uint64_t mean = wide_quotient(magnitude, static_cast<std::uint64_t>(count));
      return static_cast<C>(negative ? std::uint64_t{0} - mean : mean);
    }
  }
};
template <class C>
struct Mean : std::conditional_t<std::is_integral_v<C>, IntegerMean<C>, RealMean<C>> {};

template <class C>
struct SumSquare : Sum<C> {
  using Acc = typename Sum<C>::Acc;
  static Acc add(Acc a, C x) {
    return static_cast<Acc>(a + static_cast<Acc>(x) * static_cast<Acc>(x));
  }
  template <class V, std::enable_if_t<is_vector<V>, int> = 0>
  static V add(V a, V x) {
    return a + x * x;
  }
};

template <class C>
struct L1 : Sum<C> {
  using Acc = typename Sum<C>::Acc;
  static constexpr bool by_vectors = false;
  static Acc add(Acc a, C x) { return static_cast<Acc>(a + static_cast<Acc>(fn::abs(x))); }
};

// Of integers: of the exact sum, truncated.
template <class C>
struct RealL2 : SumSquare<C> {
  static C finish(C a, Index) { return std::sqrt(a); }
};
template <class C>
struct IntegerL2 : ByElements {
  using Acc = WideSum;
  static Acc start() { return {0, 0}; }
  static Acc add(Acc a, C x) { return saturated_sum(a, wide_square(wide_magnitude(x))); }
  static Acc join(Acc a, Acc b) { return saturated_sum(a, b); }
  static C finish(Acc a, Index) {
    const std::uint64_t root = wide_root(a);
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<C>::max());
    return static_cast<C>(root < most ? root : most);
  }
};
template <class C>
struct L2 : std::conditional_t<std::is_integral_v<C>, IntegerL2<C>, RealL2<C>> {};

template <class C>
struct RealLogSum : Sum<C> {
  static C finish(C a, Index) { return fn::log(a); }
};
template <class C>
struct IntegerLogSum : ByElements {
  using Acc = WideSum;
  static Acc start() { return {0, 0}; }
  static Acc add(Acc a, C x) { return wide_sum(a, wide_number(x)); }
  static Acc join(Acc a, Acc b) { return wide_sum(a, b); }
  static C finish(Acc a, Index) {
    if (std::is_signed_v<C> && a.high >> 63 != 0) return C{0};  // as a cast of NaN
    const double high = static_cast<double>(a.high), low = static_cast<double>(a.low);
    return fn::to_integer<C>(fn::log(high * 0x1p64 + low));
  }
};
template <class C>
struct LogSum : std::conditional_t<std::is_integral_v<C>, IntegerLogSum<C>, RealLogSum<C>> {};

template <class C>
struct Prod : ByElements {
  using Acc = typename SumType<C>::type;
  static Acc start() { return Acc{1}; }
  static Acc add(Acc a, C x) { return static_cast<Acc>(a * static_cast<Acc>(x)); }
  static Acc join(Acc a, Acc b) { return static_cast<Acc>(a * b); }
  static C finish(Acc a, Index) { return static_cast<C>(a); }
};

template <class C>
struct Max {
  using Acc = C;
  static C start() {
    if constexpr (std::is_floating_point_v<C>)
      return -std::numeric_limits<C>::infinity();
    else
      return std::numeric_limits<C>::lowest();
  }
  static constexpr bool by_vectors = true, in_any_order = true;
  template <class V>
  static V add(V a, V x) {
    return fn::max(a, x);
  }
  static C join(C a, C b) { return fn::max(a, b); }
  static C finish(C a, Index) { return a; }
};

template <class C>
struct Min {
  using Acc = C;
  static C start() {
    if constexpr (std::is_floating_point_v<C>)
      return std::numeric_limits<C>::infinity();
    else
      return std::numeric_limits<C>::max();
  }
  static constexpr bool by_vectors = true, in_any_order = true;
  template <class V>
  static V add(V a, V x) {
    return fn::min(a, x);
  }
  static C join(C a, C b) { return fn::min(a, b); }
  static C finish(C a, Index) { return a; }
};

// Relative to the largest element so far, so that exp does not overflow.
template <class C>
struct RealLogSumExp : ByElements {
  struct Acc {
    C largest, sum;
  };
  static Acc start() { return {-std::numeric_limits<C>::infinity(), C{0}}; }
  static Acc add(Acc a, C x) { return join(a, {x, C{1}}); }
  static Acc join(Acc a, Acc b) {
    if (a.largest < b.largest) {
      const Acc swapped = a;
      a = b;
      b = swapped;
    }
    if (b.sum == C{0}) return a;
    if (a.largest == b.largest) return {a.largest, a.sum + b.sum};
    return {a.largest, a.sum + b.sum * fn::exp(b.largest - a.largest)};
  }
  static C finish(Acc a, Index) {
    const bool edge = a.sum == C{0} || a.largest - a.largest != C{0};
    return edge ? a.largest + (a.sum - a.sum) : a.largest + fn::log(a.sum);
  }
};
// Integers keep the largest as it is; only what is added to it is real.
template <class C>
struct IntegerLogSumExp : ByElements {
  struct Acc {
    C largest;
    double sum;
  };
  static Acc start() { return {std::numeric_limits<C>::lowest(), 0.0}; }
  static Acc add(Acc a, C x) { return join(a, {x, 1.0}); }
  static Acc join(Acc a, Acc b) {
    const Acc &more = a.largest < b.largest ? b : a, &less = a.largest < b.largest ? a : b;
    const double below = static_cast<double>(static_cast<std::uint64_t>(more.largest) -
                                             static_cast<std::uint64_t>(less.largest));
    return {more.largest, more.sum + less.sum * std::exp(-below)};
  }
  // Truncated towards zero; of nothing: the lowest.
  static C finish(Acc a, Index) {
    if (a.sum == 0.0) return a.largest;
    const double more = std::log(a.sum);
    const auto whole = static_cast<std::uint64_t>(more);
    const bool fraction = static_cast<double>(whole) != more;
    if (a.largest < C{0}) {
      const std::uint64_t depth = wide_magnitude(a.largest);
      const std::uint64_t up = whole + (fraction ? 1u : 0u);
      return up > depth ? static_cast<C>(whole - depth)
                        : static_cast<C>(std::uint64_t{0} - (depth - up));
    }
    const auto room = static_cast<std::uint64_t>(std::numeric_limits<C>::max() - a.largest);
    return static_cast<C>(static_cast<std::uint64_t>(a.largest) + (whole < room ? whole : room));
  }
};
template <class C>
struct LogSumExp
    : std::conditional_t<std::is_integral_v<C>, IntegerLogSumExp<C>, RealLogSumExp<C>> {};

}  // namespace reduce_op

namespace reduce_detail {

// Accumulators side by side: they hide latency, and let compilers use vectors.
constexpr Index kSide = 16;
// Elements that one accumulator takes before it joins another: keeps the rounding errors of long
// sums small.
constexpr Index kRun = 64;

// Up to so many elements a row is not worth accumulators side by side.
constexpr Index kShortRow = 8;

// Where memory is to be read in order: as many columns, several cache lines, at a time.
constexpr Index kWideSide = kLanes > 1 ? 128 : kSide;

// Extremes are the same in any order, and their steps take several cycles: so many accumulators
// share a row.
template <class Op>
constexpr Index row_side = Op::in_any_order && !kLittleCode ? 4 * kSide : kSide;

// Takes one more of kCount neighbours into as many accumulators.
template <class Op, class C, Index kCount, class A, class T>
[[gnu::always_inline]] inline void add_side(const T* x, A* acc) {
  if constexpr (Op::by_vectors && std::is_same_v<T, float> && kCount % kLanes == 0) {
    for (Index l = 0; l < kCount; l += kLanes) store(acc + l, Op::add(load(acc + l), load(x + l)));
  } else {
    for (Index l = 0; l < kCount; ++l) acc[l] = Op::add(acc[l], static_cast<C>(x[l]));
  }
}

// Takes `count` rows of kCount neighbours, `stride` apart, into as many accumulators.
template <class Op, class C, Index kCount, class A, class T>
[[gnu::noinline]] void add_rows(const T* x, Index stride, Index count, A* acc) {
  if constexpr (Op::by_vectors && std::is_same_v<T, float> && kCount % kLanes == 0) {
    constexpr std::size_t vectors = kCount / kLanes;
    vfloat sum[vectors];
#pragma GCC unroll 8
    for (std::size_t v = 0; v < vectors; ++v) sum[v] = load(acc + v * kLanes);
    for (Index i = 0; i < count; ++i, x += stride) {
#pragma GCC unroll 8
      for (std::size_t v = 0; v < vectors; ++v) sum[v] = Op::add(sum[v], load(x + v * kLanes));
    }
#pragma GCC unroll 8
    for (std::size_t v = 0; v < vectors; ++v) store(acc + v * kLanes, sum[v]);
  } else {
    for (Index i = 0; i < count; ++i) add_side<Op, C, kCount>(x + i * stride, acc);
  }
}

// Adds the elements below each of `lanes` starting points, which are `step` apart; at most kCount.
template <class Op, class C, Index kCount, int kReduced, int kAxis, class S, class A, class T>
inline void add_block(S s, const T* x, Index step, Index lanes, A* acc) {
  if constexpr (kAxis == kReduced) {
    if (lanes == kCount && step == 1) {
      add_side<Op, C, kCount>(x, acc);
    } else {
      for (Index l = 0; l < lanes; ++l) acc[l] = Op::add(acc[l], static_cast<C>(x[l * step]));
    }
  } else {
    const Index n = s.reduced[kAxis], stride = s.reduced_strides[kAxis];
    const bool rows = kAxis == kReduced - 1 && lanes == kCount && step == 1;
    if (rows && n <= kRun) return add_rows<Op, C, kCount>(x, stride, n, acc);
    if (kAxis < kReduced - 1 || n <= kRun) {
      for (Index i = 0; i < n; ++i)
        add_block<Op, C, kCount, kReduced, kAxis + 1>(s, x + i * stride, step, lanes, acc);
      return;
    }
    for (Index first = 0; first < n; first += kRun) {
      constexpr std::size_t capacity = kCount;
      A part[capacity];
      for (A& a : part) a = Op::start();
      const Index end = first + kRun < n ? first + kRun : n;
      if (rows) add_rows<Op, C, kCount>(x + first * stride, stride, end - first, part);
      for (Index i = first; i < end && !rows; ++i)
        add_block<Op, C, kCount, kReduced, kAxis + 1>(s, x + i * stride, step, lanes, part);
      for (Index l = 0; l < lanes; ++l) acc[l] = Op::join(acc[l], part[l]);
    }
  }
}

// One result whose innermost reduced axis is dense: the side accumulators share the row.
template <class Op, class C, int kReduced, int kAxis, class S, class A, class T>
inline void add_row(S s, const T* x, A* acc) {
  if constexpr (kAxis == kReduced - 1) {
    constexpr Index side = row_side<Op>;
    const Index n = s.reduced[kAxis], whole = n / kSide * kSide;
    Index at = 0;
    for (; at + side <= whole; at += side) add_side<Op, C, side>(x + at, acc);
    for (; at < whole; at += kSide) add_side<Op, C, kSide>(x + at, acc);
    for (Index i = whole; i < n; ++i)
      acc[i - whole] = Op::add(acc[i - whole], static_cast<C>(x[i]));
  } else {
    for (Index i = 0; i < s.reduced[kAxis]; ++i)
      add_row<Op, C, kReduced, kAxis + 1>(s, x + i * s.reduced_strides[kAxis], acc);
  }
}

// What that row comes to.
template <class Op, class C, int kReduced, class S, class T>
inline typename Op::Acc dense_row(S s, const T* x) {
  constexpr std::size_t side = row_side<Op>;
  typename Op::Acc acc[side];
  for (auto& a : acc) a = Op::start();
  add_row<Op, C, kReduced, 0>(s, x, acc);
  if constexpr (side > kSide)
    for (Index l = kSide; l < row_side<Op>; l += kSide) add_side<Op, C, kSide>(acc + l, acc);
  typename Op::Acc all = acc[0];
  for (Index l = 1; l < kSide; ++l) all = Op::join(all, acc[l]);
  return all;
}

// `lanes` results, at most kCount, of which the elements lie `step` apart.
template <class Op, class C, Index kCount, int kReduced, class S, class T>
inline T* columns(S s, const T* x, Index step, Index lanes, Index count, T* y) {
  constexpr std::size_t capacity = kCount;
  typename Op::Acc acc[capacity];
  for (auto& a : acc) a = Op::start();
  add_block<Op, C, kCount, kReduced, 0>(s, x, step, lanes, acc);
  for (Index l = 0; l < lanes; ++l) *y++ = static_cast<T>(Op::finish(acc[l], count));
  return y;
}

// Results of rows of a few neighbours each, such as real and imaginary parts, in the order in which
// the accumulators of longer rows join.
template <class Op, class C, class S, class T>
inline T* short_rows(S s, const T* x, Index lanes, Index step, Index count, T* y) {
  for (Index at = 0; at < lanes; ++at, x += step) {
    typename Op::Acc acc = Op::start();
    for (Index i = 0; i < s.reduced[0]; ++i)
      acc = i == 0 ? Op::add(acc, static_cast<C>(x[0]))
                   : Op::join(acc, Op::add(Op::start(), static_cast<C>(x[i])));
    *y++ = static_cast<T>(Op::finish(acc, count));
  }
  return y;
}

template <class Op, class C, int kReduced, class S, class T>
inline T* last_axis(S s, const T* x, Index lanes, Index step, Index count, T* y) {
  using A = typename Op::Acc;
  bool dense = false;
  if constexpr (kReduced > 0) dense = s.reduced_strides[kReduced - 1] == 1;
  if constexpr (kReduced == 1)
    if (dense && s.reduced[0] <= kShortRow) return short_rows<Op, C>(s, x, lanes, step, count, y);
  Index at = 0;
  for (; dense && at < lanes; ++at) {
    A all = Op::start();
    if constexpr (kReduced > 0) all = dense_row<Op, C, kReduced>(s, x + at * step);
    *y++ = static_cast<T>(Op::finish(all, count));
  }
  for (; at + kWideSide <= lanes; at += kWideSide)
    y = columns<Op, C, kWideSide, kReduced>(s, x + at * step, step, kWideSide, count, y);
  for (; at < lanes; at += kSide) {
    const Index side = lanes - at < kSide ? lanes - at : kSide;
    y = columns<Op, C, kSide, kReduced>(s, x + at * step, step, side, count, y);
  }
  return y;
}

template <class Op, class C, int kKept, int kReduced, int kAxis, class S, class T>
inline T* walk(S s, const T* x, Index count, T* y) {
  if constexpr (kAxis == kKept - 1) {
    return last_axis<Op, C, kReduced>(s, x, s.kept[kAxis], s.kept_strides[kAxis], count, y);
  } else {
    for (Index i = 0; i < s.kept[kAxis]; ++i)
      y = walk<Op, C, kKept, kReduced, kAxis + 1>(s, x + i * s.kept_strides[kAxis], count, y);
    return y;
  }
}

}  // namespace reduce_detail

// x: walked with two sets of axes; y: [kept], dense. Op: a template of reduce_op. At least one axis
// is kept, none may be reduced. s: kept[kKept], kept_strides[kKept], reduced[kReduced],
// reduced_strides[kReduced], count (product of reduced).
template <template <class> class Op, int kKept, int kReduced, class S, class T>
void reduce(S s, const T* x, T* y) {
  using C = compute_t<T>;
  reduce_detail::walk<Op<C>, C, kKept, kReduced, 0>(s, x, s.count, y);
}

}  // namespace onnxc

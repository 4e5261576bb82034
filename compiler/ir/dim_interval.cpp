// Interval arithmetic on dimensions: which values an expression can take.
#include <algorithm>
#include <limits>

#include "compiler/ir/dim.hpp"
#include "compiler/support/checked.hpp"

namespace onnxc {
namespace {

// An end of an interval. The largest and the smallest number stand for infinity; arithmetic
// saturates there.
using End = std::int64_t;
constexpr End kInfinity = std::numeric_limits<End>::max();
constexpr End kMinusInfinity = std::numeric_limits<End>::min();

struct Range {
  End low = kMinusInfinity, high = kInfinity;
};

bool is_finite(End e) { return e != kInfinity && e != kMinusInfinity; }

End negated(End e) {
  return e == kMinusInfinity ? kInfinity : e == kInfinity ? kMinusInfinity : -e;
}

// `infinity`: the sum of opposite infinities, which an end without a limit is.
End sum(End a, End b, End infinity) {
  if (a == infinity || b == infinity) return infinity;
  if (!is_finite(a)) return a;
  if (!is_finite(b)) return b;
  if (b > 0 && a > kInfinity - b) return kInfinity;
  if (b < 0 && a < kMinusInfinity - b) return kMinusInfinity;
  return a + b;
}

End product(End a, End b) {
  if (a == 0 || b == 0) return 0;
  const End saturated = (a < 0) == (b < 0) ? kInfinity : kMinusInfinity;
  if (!is_finite(a) || !is_finite(b)) return saturated;
  try {
    return checked_mul(a, b);
  } catch (const OverflowError&) {
    return saturated;
  }
}

Range operator+(const Range& a, const Range& b) {
  return {sum(a.low, b.low, kMinusInfinity), sum(a.high, b.high, kInfinity)};
}

Range operator*(const Range& a, const Range& b) {
  const auto [low, high] = std::minmax({product(a.low, b.low), product(a.low, b.high),
                                        product(a.high, b.low), product(a.high, b.high)});
  return {low, high};
}

Range joined(const Range& a, const Range& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

// An even power is never negative.
Range power(const Range& base, std::size_t exponent) {
  Range r = base;
  for (std::size_t i = 1; i < exponent; ++i) r = r * base;
  if (exponent % 2 == 0) r.low = std::max<End>(r.low, 0);
  return r;
}

// `quotient` of both ends by a positive number.
Range each_end(const Range& a, End divisor, End (*quotient)(End, End)) {
  const auto end = [&](End e) { return is_finite(e) ? quotient(e, divisor) : e; };
  return {end(a.low), end(a.high)};
}

Range floor_quotient(const Range& a, const Range& b) {
  if (b.low == b.high && is_finite(b.low) && b.low != 0) {
    if (b.low > 0) return each_end(a, b.low, onnxc::floor_div);
    return each_end({negated(a.high), negated(a.low)}, negated(b.low), onnxc::floor_div);
  }
  // By at least 1 a number comes closer to 0, and by 0 it gives 0.
  if (b.low >= 1 || (b.low >= 0 && a.low >= 0))
    return {std::min<End>(a.low, 0), std::max<End>(a.high, 0)};
  return {};
}

Range truncated_quotient(const Range& a, const Range& b) {
  return each_end(a, b.low, [](End x, End y) { return x / y; });
}

Range index_from_end(const Range& index, const Range& extent) {
  const Range counted{sum(index.low, extent.low, kMinusInfinity),
                      sum(std::min<End>(index.high, -1), extent.high, kInfinity)};
  if (index.high < 0) return counted;
  const Range given{std::max<End>(index.low, 0), index.high};
  return index.low >= 0 ? given : joined(given, counted);
}

struct Limits {
  const Dim::Limit& largest;
  const Dim::Limit& smallest;

  Range of(const Dim& d) const {
    const Dim::Interval i = d.interval(largest, smallest);
    return {i.low.value_or(kMinusInfinity), i.high.value_or(kInfinity)};
  }

  Range of(const DimAtom& atom) const {
    if (atom.kind == DimAtomKind::symbol)
      return {smallest(atom.text).value_or(kMinusInfinity), largest(atom.text).value_or(kInfinity)};
    std::vector<Range> args;
    for (const Dim& d : atom.args) args.push_back(of(d));
    return operation(atom.kind, args);
  }

  static Range operation(DimAtomKind kind, const std::vector<Range>& args) {
    Range r = args[0];
    switch (kind) {
      case DimAtomKind::floor_div:
        return floor_quotient(args[0], args[1]);
      case DimAtomKind::trunc_div:
        return truncated_quotient(args[0], args[1]);
      case DimAtomKind::min:
        for (const Range& x : args) r = {std::min(r.low, x.low), std::min(r.high, x.high)};
        return r;
      case DimAtomKind::max:
        for (const Range& x : args) r = {std::max(r.low, x.low), std::max(r.high, x.high)};
        return r;
      case DimAtomKind::broadcast:
        for (const Range& x : args) r = joined(r, x);
        return r;
      case DimAtomKind::broadcast_stride:
        return joined({0, 0}, args[1]);
      case DimAtomKind::from_end:
        return index_from_end(args[0], args[1]);
      case DimAtomKind::symbol:
        break;
    }
    return {};
  }
};

}  // namespace

Dim::Interval Dim::interval(const Limit& largest, const Limit& smallest) const {
  const Limits limits{largest, smallest};
  Range total{constant_, constant_};
  for (const Term& t : terms_) {
    Range r{t.coefficient, t.coefficient};
    for (std::size_t i = 0, next = 0; i < t.factors.size(); i = next) {
      while (next < t.factors.size() && t.factors[next]->text == t.factors[i]->text) ++next;
      r = r * power(limits.of(*t.factors[i]), next - i);
    }
    total = total + r;
  }
  const auto end = [](End e) { return is_finite(e) ? std::optional(e) : std::nullopt; };
  return {end(total.low), end(total.high)};
}

std::optional<std::int64_t> Dim::at_most(const Limit& largest, const Limit& smallest) const {
  return interval(largest, smallest).high;
}

std::optional<std::int64_t> Dim::at_least(const Limit& largest, const Limit& smallest) const {
  return interval(largest, smallest).low;
}

namespace {

// Of symbols without known limits: extents.
Dim::Interval of_extents(const Dim& d) {
  const auto any = [](const std::string&) { return std::optional<std::int64_t>(); };
  const auto zero = [](const std::string&) { return std::optional<std::int64_t>(0); };
  return d.interval(any, zero);
}

}  // namespace

bool Dim::is_never_below(std::int64_t limit) const {
  if (is_const()) return constant_ >= limit;
  const auto low = of_extents(*this).low;
  return low && *low >= limit;
}

bool Dim::is_never_above(std::int64_t limit) const {
  if (is_const()) return constant_ <= limit;
  const auto high = of_extents(*this).high;
  return high && *high <= limit;
}

}  // namespace onnxc

// Operations on dimensions that are not polynomial: division, min, max, broadcast. Each has a
// normal form, so that equal expressions compare equal.
#include <algorithm>
#include <numeric>

#include "compiler/ir/dim.hpp"
#include "compiler/support/checked.hpp"

namespace onnxc {
namespace {

// Longer lists of operands are not searched for redundant ones.
constexpr std::size_t kSearched = 16;

const char* name_of(DimAtomKind kind) {
  switch (kind) {
    case DimAtomKind::floor_div:
      return "floor_div";
    case DimAtomKind::trunc_div:
      return "trunc_div";
    case DimAtomKind::min:
      return "min";
    case DimAtomKind::max:
      return "max";
    case DimAtomKind::broadcast:
      return "broadcast";
    case DimAtomKind::broadcast_stride:
      return "broadcast_stride";
    case DimAtomKind::from_end:
      return "from_end";
    case DimAtomKind::symbol:
      break;
  }
  return "";
}

// Constants last.
bool is_before(const Dim& a, const Dim& b) {
  if (a.is_const() != b.is_const()) return b.is_const();
  if (a.is_const()) return a.value() < b.value();
  return a.to_string() < b.to_string();
}

// Drops operands whose removal does not change the result.
template <class F>
void drop_superfluous(std::vector<Dim>& args, F is_redundant_with) {
  if (args.size() > kSearched) return;
  for (std::size_t i = 0; i < args.size();) {
    const auto makes_superfluous = [&](const Dim& other) {
      return &other != &args[i] && is_redundant_with(args[i], other);
    };
    if (std::any_of(args.begin(), args.end(), makes_superfluous))
      args.erase(args.begin() + static_cast<std::ptrdiff_t>(i));
    else
      ++i;
  }
}

}  // namespace

bool Dim::is_never_one() const {
  if (is_const()) return constant_ != 1;
  if (is_never_below(2)) return true;
  // A sum of multiples of a number, and a rest that is not 1.
  std::int64_t divisor = 0;
  for (const Term& t : terms_) divisor = std::gcd(divisor, t.coefficient);
  return divisor >= 2 && floor_mod(constant_, divisor) != 1;
}

Dim Dim::call(DimAtomKind kind, std::vector<Dim> args) {
  std::string text;
  for (const Dim& d : args) text += (text.empty() ? "" : ", ") + d.to_string();
  return from_atom({kind, name_of(kind) + ("(" + text + ")"), std::move(args)});
}

Dim Dim::apply(DimAtomKind kind, const Dim& a, const Dim& b) {
  switch (kind) {
    case DimAtomKind::floor_div:
      return floor_div(a, b);
    case DimAtomKind::trunc_div:
      return trunc_div(a, b);
    case DimAtomKind::min:
      return min(a, b);
    case DimAtomKind::max:
      return max(a, b);
    case DimAtomKind::broadcast:
      return broadcast(a, b);
    case DimAtomKind::broadcast_stride:
      return broadcast_stride(a, b);
    case DimAtomKind::from_end:
      return from_end(a, b);
    case DimAtomKind::symbol:
      break;
  }
  return a;
}

const DimAtom* Dim::as_atom() const {
  const bool one = constant_ == 0 && terms_.size() == 1 && terms_[0].coefficient == 1 &&
                   terms_[0].factors.size() == 1;
  return one ? terms_[0].factors[0].get() : nullptr;
}

std::vector<Dim> Dim::operands_of(DimAtomKind kind) const {
  const DimAtom* atom = as_atom();
  return atom && atom->kind == kind ? atom->args : std::vector<Dim>{*this};
}

std::vector<Dim> Dim::merged_operands(DimAtomKind kind, const Dim& a, const Dim& b) {
  std::vector<Dim> args = a.operands_of(kind);
  for (const Dim& d : b.operands_of(kind))
    if (std::find(args.begin(), args.end(), d) == args.end()) args.push_back(d);
  std::sort(args.begin(), args.end(), is_before);
  return args;
}

std::optional<Dim> Dim::exact_quotient(std::int64_t divisor) const {
  if (constant_ % divisor != 0) return std::nullopt;
  Dim whole = constant_ / divisor;
  for (Term t : terms_) {
    if (t.coefficient % divisor != 0) return std::nullopt;
    t.coefficient /= divisor;
    whole.add_term(std::move(t));
  }
  return whole;
}

Dim Dim::floor_div(const Dim& a, const Dim& b) {
  if (b.is(1)) return a;
  if (a == b && !(b.is(0))) return 1;
  if (!b.is_const() || b.is(0)) return call(DimAtomKind::floor_div, {a, b});
  if (b.is(-1)) return Dim(0) - a;
  if (a.is_const()) return onnxc::floor_div(a.constant_, b.constant_);
  if (const auto exact = a.exact_quotient(b.constant_)) return *exact;
  // Multiples of the divisor leave no remainder to round.
  Dim whole, rest = a.constant_;
  for (const Term& t : a.terms_) {
    Term q = t;
    const bool divides = t.coefficient % b.constant_ == 0;
    if (divides) q.coefficient /= b.constant_;
    (divides ? whole : rest).add_term(std::move(q));
  }
  if (rest.is_const()) return whole + onnxc::floor_div(rest.constant_, b.constant_);
  return whole + call(DimAtomKind::floor_div, {rest, b});
}

Dim Dim::trunc_div(const Dim& a, const Dim& b) {
  const std::int64_t divisor = b.value();
  if (divisor < 0) return Dim(0) - trunc_div(a, checked_sub(0, divisor));
  if (a.is_never_below(0)) return floor_div(a, b);
  if (a.is_never_above(0)) return Dim(0) - floor_div(Dim(0) - a, b);
  if (const auto exact = a.exact_quotient(divisor)) return *exact;
  return call(DimAtomKind::trunc_div, {a, b});
}

bool Dim::is_multiple_of(const Dim& divisor) const {
  if (*this == divisor) return true;
  if (divisor.constant_ != 0 || divisor.terms_.size() != 1 || constant_ != 0) return false;
  const Term& by = divisor.terms_[0];
  const auto before = [](const auto& p, const auto& q) { return p->text < q->text; };
  return std::all_of(terms_.begin(), terms_.end(), [&](const Term& t) {
    return t.coefficient % by.coefficient == 0 &&
           std::includes(t.factors.begin(), t.factors.end(), by.factors.begin(), by.factors.end(),
                         before);
  });
}

Dim Dim::ceil_div(const Dim& a, const Dim& b) { return floor_div(a + b - 1, b); }

Dim Dim::min(const Dim& a, const Dim& b) {
  std::vector<Dim> args = merged_operands(DimAtomKind::min, a, b);
  drop_superfluous(args,
                   [](const Dim& d, const Dim& other) { return (d - other).is_never_below(0); });
  return args.size() == 1 ? args[0] : call(DimAtomKind::min, std::move(args));
}

Dim Dim::max(const Dim& a, const Dim& b) {
  std::vector<Dim> args = merged_operands(DimAtomKind::max, a, b);
  drop_superfluous(args,
                   [](const Dim& d, const Dim& other) { return (other - d).is_never_below(0); });
  return args.size() == 1 ? args[0] : call(DimAtomKind::max, std::move(args));
}

Dim Dim::broadcast(const Dim& a, const Dim& b) {
  std::vector<Dim> args = merged_operands(DimAtomKind::broadcast, a, b);
  for (const Dim& d : args)
    if (d.is_const() && !d.is(1)) return d;
  for (const Dim& d : args)
    if (d.is_never_one()) return d;
  // min(d, limit) broadcasts with d only if it equals d, or is 1.
  drop_superfluous(args, [](const Dim& part, const Dim& d) {
    if (part.is(1)) return true;
    const std::vector<Dim> of = part.operands_of(DimAtomKind::min);
    return of.size() == 2 && of[1].is_const() && of[1].value() >= 1 && of[0] == d;
  });
  return args.size() == 1 ? args[0] : call(DimAtomKind::broadcast, std::move(args));
}

Dim Dim::broadcast_stride(const Dim& extent, const Dim& stride) {
  if (extent.is(1)) return 0;
  if (extent.is_never_one() || stride.is(0)) return stride;
  return call(DimAtomKind::broadcast_stride, {extent, stride});
}

Dim Dim::from_end(const Dim& index, const Dim& extent) {
  if (index.is_never_below(0)) return index;
  if (index.is_never_above(-1)) return index + extent;
  return call(DimAtomKind::from_end, {index, extent});
}

}  // namespace onnxc

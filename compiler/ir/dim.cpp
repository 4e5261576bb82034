#include "compiler/ir/dim.hpp"

#include <algorithm>

#include "compiler/support/checked.hpp"

namespace onnxc {
namespace {

Dim apply(DimAtom::Kind kind, const Dim& a, const Dim& b) {
  switch (kind) {
    case DimAtom::Kind::floor_div:
      return Dim::floor_div(a, b);
    case DimAtom::Kind::min:
      return Dim::min(a, b);
    case DimAtom::Kind::max:
      return Dim::max(a, b);
    case DimAtom::Kind::broadcast:
      return Dim::broadcast(a, b);
    case DimAtom::Kind::unless_one:
      return Dim::unless_one(a, b);
    case DimAtom::Kind::symbol:
      break;
  }
  return a;
}

DimAtom call(DimAtom::Kind kind, const char* name, const Dim& a, const Dim& b) {
  return {kind, std::string(name) + "(" + a.to_string() + ", " + b.to_string() + ")", {a, b}};
}

// Whatever the symbols are: extents, so never negative.
bool never_below(const Dim& d, std::int64_t limit) {
  const auto any = [](const std::string&) { return std::optional<std::int64_t>(); };
  const auto zero = [](const std::string&) { return std::optional<std::int64_t>(0); };
  const auto least = d.at_least(any, zero);
  return least && *least >= limit;
}

}  // namespace

Dim Dim::from_atom(DimAtom atom) {
  Dim d;
  Term term;
  term.coefficient = 1;
  term.key = atom.text;
  term.factors.push_back(std::make_shared<const DimAtom>(std::move(atom)));
  d.terms_.push_back(std::move(term));
  return d;
}

Dim Dim::symbol(const std::string& name) { return from_atom({DimAtom::Kind::symbol, name, {}}); }

Dim Dim::floor_div(const Dim& a, const Dim& b) {
  if (b.is(1)) return a;
  if (a == b && !(b.is(0))) return 1;
  if (b.is_const() && b.constant_ != 0) {
    // A divisor that divides every coefficient leaves no remainder to round.
    Dim whole;
    bool exact = floor_mod(a.constant_, b.constant_) == 0;
    whole.constant_ = onnxc::floor_div(a.constant_, b.constant_);
    for (const Term& t : a.terms_) {
      exact = exact && t.coefficient % b.constant_ == 0;
      Term q = t;
      q.coefficient = t.coefficient / b.constant_;
      whole.add_term(q);
    }
    if (exact || a.is_const()) return whole;
  }
  return from_atom(call(DimAtom::Kind::floor_div, "floor_div", a, b));
}

Dim Dim::ceil_div(const Dim& a, const Dim& b) { return floor_div(a + b - 1, b); }

Dim Dim::min(const Dim& a, const Dim& b) {
  const Dim diff = a - b;
  if (diff.is_const()) return diff.constant_ <= 0 ? a : b;
  return from_atom(call(DimAtom::Kind::min, "min", a, b));
}

Dim Dim::max(const Dim& a, const Dim& b) {
  const Dim diff = a - b;
  if (diff.is_const()) return diff.constant_ >= 0 ? a : b;
  if (a.is_const() && never_below(b, a.constant_)) return b;
  if (b.is_const() && never_below(a, b.constant_)) return a;
  return from_atom(call(DimAtom::Kind::max, "max", a, b));
}

Dim Dim::broadcast(const Dim& a, const Dim& b) {
  if (a == b || b.is(1)) return a;
  if (a.is(1)) return b;
  if (a.is_const()) return a;
  if (b.is_const()) return b;  // where a is 1 that is right, else a has to be the same
  return from_atom(call(DimAtom::Kind::broadcast, "broadcast", a, b));
}

Dim Dim::unless_one(const Dim& extent, const Dim& stride) {
  if (extent.is(1)) return 0;
  if (extent.is_const() || stride.is(0)) return stride;
  return from_atom(call(DimAtom::Kind::unless_one, "unless_one", extent, stride));
}

std::int64_t Dim::value() const {
  if (is_const()) return constant_;
  throw SymbolicExtent("needs a fixed size, only the run tells " + to_string());
}

std::optional<std::int64_t> Dim::constant() const {
  return is_const() ? std::optional(constant_) : std::nullopt;
}

void Dim::add_term(Term term) {
  auto it = std::lower_bound(terms_.begin(), terms_.end(), term.key,
                             [](const Term& t, const std::string& key) { return t.key < key; });
  if (it == terms_.end() || it->key != term.key) {
    if (term.coefficient != 0) terms_.insert(it, std::move(term));
    return;
  }
  it->coefficient = checked_add(it->coefficient, term.coefficient);
  if (it->coefficient == 0) terms_.erase(it);
}

Dim operator+(const Dim& a, const Dim& b) {
  Dim r = a;
  r.constant_ = checked_add(a.constant_, b.constant_);
  for (const Dim::Term& t : b.terms_) r.add_term(t);
  return r;
}

Dim operator-(const Dim& a, const Dim& b) { return a + Dim(-1) * b; }

Dim operator*(const Dim& a, const Dim& b) {
  Dim r;
  r.constant_ = checked_mul(a.constant_, b.constant_);
  const auto scaled = [&r](const Dim& d, std::int64_t factor) {
    for (Dim::Term t : d.terms_) {
      t.coefficient = checked_mul(t.coefficient, factor);
      r.add_term(std::move(t));
    }
  };
  scaled(a, b.constant_);
  scaled(b, a.constant_);
  for (const Dim::Term& x : a.terms_)
    for (const Dim::Term& y : b.terms_) {
      Dim::Term t;
      t.coefficient = checked_mul(x.coefficient, y.coefficient);
      t.factors = x.factors;
      t.factors.insert(t.factors.end(), y.factors.begin(), y.factors.end());
      std::sort(t.factors.begin(), t.factors.end(),
                [](const auto& p, const auto& q) { return p->text < q->text; });
      for (const auto& f : t.factors) t.key += (t.key.empty() ? "" : "*") + f->text;
      r.add_term(std::move(t));
    }
  return r;
}

bool operator==(const Dim& a, const Dim& b) {
  return a.constant_ == b.constant_ &&
         std::equal(a.terms_.begin(), a.terms_.end(), b.terms_.begin(), b.terms_.end(),
                    [](const Dim::Term& x, const Dim::Term& y) {
                      return x.coefficient == y.coefficient && x.key == y.key;
                    });
}

Dim Dim::substitute(const Lookup& lookup) const {
  Dim r = constant_;
  for (const Term& t : terms_) {
    Dim product = t.coefficient;
    for (const auto& f : t.factors) {
      Dim value = from_atom(*f);
      if (f->kind == DimAtom::Kind::symbol) {
        if (auto found = lookup(f->text)) value = *found;
      } else {
        value = apply(f->kind, f->args[0].substitute(lookup), f->args[1].substitute(lookup));
      }
      product = product * value;
    }
    r = r + product;
  }
  return r;
}

void Dim::collect_symbols(std::vector<std::string>& out) const {
  for (const Term& t : terms_)
    for (const auto& f : t.factors) {
      if (f->kind == DimAtom::Kind::symbol) out.push_back(f->text);
      for (const Dim& arg : f->args) arg.collect_symbols(out);
    }
}

std::optional<std::string> Dim::as_symbol() const {
  if (constant_ != 0 || terms_.size() != 1 || terms_[0].coefficient != 1) return std::nullopt;
  const auto& factors = terms_[0].factors;
  if (factors.size() != 1 || factors[0]->kind != DimAtom::Kind::symbol) return std::nullopt;
  return factors[0]->text;
}

namespace {

using Bound = std::optional<std::int64_t>;

Bound floor_div_bound(const Bound& a, const Dim& by) {
  if (!a || !by.is_const() || by.value() <= 0) return std::nullopt;
  return onnxc::floor_div(*a, by.value());
}

Bound either(const Bound& a, const Bound& b, bool larger) {
  if (!a || !b) return std::nullopt;
  return larger ? std::max(*a, *b) : std::min(*a, *b);
}

// What is known of the two is enough for the other direction.
Bound known(const Bound& a, const Bound& b, bool larger) {
  if (!a || !b) return a ? a : b;
  return larger ? std::max(*a, *b) : std::min(*a, *b);
}

Bound atom_bound(const DimAtom& atom, bool larger, const Dim::Limit& largest,
                 const Dim::Limit& smallest) {
  const auto of = [&](const Dim& d) {
    return larger ? d.at_most(largest, smallest) : d.at_least(largest, smallest);
  };
  switch (atom.kind) {
    case DimAtom::Kind::symbol:
      return (larger ? largest : smallest)(atom.text);
    case DimAtom::Kind::floor_div:
      return floor_div_bound(of(atom.args[0]), atom.args[1]);
    case DimAtom::Kind::min:
      return larger ? known(of(atom.args[0]), of(atom.args[1]), false)
                    : either(of(atom.args[0]), of(atom.args[1]), false);
    case DimAtom::Kind::max:
      return larger ? either(of(atom.args[0]), of(atom.args[1]), true)
                    : known(of(atom.args[0]), of(atom.args[1]), true);
    case DimAtom::Kind::broadcast:
      return either(of(atom.args[0]), of(atom.args[1]), larger);
    case DimAtom::Kind::unless_one:
      return larger ? of(atom.args[1]) : Bound(0);
  }
  return std::nullopt;
}

}  // namespace

// Interval arithmetic.
std::optional<std::int64_t> Dim::at_most(const Limit& largest, const Limit& smallest) const {
  std::int64_t total = constant_;
  try {
    for (const Term& t : terms_) {
      std::int64_t product = t.coefficient;
      for (const auto& f : t.factors) {
        // A negative term is largest where its factors are smallest.
        const Bound limit = atom_bound(*f, t.coefficient > 0, largest, smallest);
        if (!limit || (*limit < 0 && t.factors.size() > 1)) return std::nullopt;
        product = checked_mul(product, *limit);
      }
      total = checked_add(total, product);
    }
  } catch (const OverflowError&) {
    return std::nullopt;
  }
  return total;
}

std::optional<std::int64_t> Dim::at_least(const Limit& largest, const Limit& smallest) const {
  const auto most = (Dim(-1) * *this).at_most(largest, smallest);
  return most ? std::optional(-*most) : std::nullopt;
}

std::string Dim::to_string() const {
  return render([](const DimAtom& atom) { return atom.text; });
}

std::string Dim::render(const std::function<std::string(const DimAtom&)>& atom) const {
  std::string s;
  for (const Term& t : terms_) {
    const std::int64_t c = t.coefficient;
    if (!s.empty())
      s += c < 0 ? " - " : " + ";
    else if (c < 0)
      s += "-";
    if (c != 1 && c != -1) s += std::to_string(c < 0 ? -c : c) + "*";
    for (std::size_t i = 0; i < t.factors.size(); ++i) s += (i ? "*" : "") + atom(*t.factors[i]);
  }
  if (s.empty()) return std::to_string(constant_);
  if (constant_ > 0) s += " + " + std::to_string(constant_);
  if (constant_ < 0) s += " - " + std::to_string(-constant_);
  return s;
}

}  // namespace onnxc

#include "compiler/ir/dim.hpp"

#include <algorithm>

#include "compiler/support/checked.hpp"

namespace onnxc {
namespace {

Dim apply(DimAtom::Kind kind, const Dim& a, const Dim& b) {
  switch (kind) {
    case DimAtom::Kind::floor_div: return Dim::floor_div(a, b);
    case DimAtom::Kind::min: return Dim::min(a, b);
    case DimAtom::Kind::max: return Dim::max(a, b);
    case DimAtom::Kind::symbol: break;
  }
  return a;
}

DimAtom call(DimAtom::Kind kind, const char* name, const Dim& a, const Dim& b) {
  return {kind, std::string(name) + "(" + a.to_string() + ", " + b.to_string() + ")", {a, b}};
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

Dim Dim::symbol(const std::string& name) {
  return from_atom({DimAtom::Kind::symbol, name, {}});
}

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
  return from_atom(call(DimAtom::Kind::max, "max", a, b));
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

std::string Dim::to_string() const {
  std::string s;
  for (const Term& t : terms_) {
    const std::int64_t c = t.coefficient;
    if (!s.empty()) s += c < 0 ? " - " : " + ";
    else if (c < 0) s += "-";
    if (c != 1 && c != -1) s += std::to_string(c < 0 ? -c : c) + "*";
    s += t.key;
  }
  if (s.empty()) return std::to_string(constant_);
  if (constant_ > 0) s += " + " + std::to_string(constant_);
  if (constant_ < 0) s += " - " + std::to_string(-constant_);
  return s;
}

}  // namespace onnxc

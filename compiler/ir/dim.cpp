// Dim as a polynomial: sums, products, substitution, limits, text. Operations that are not
// polynomial are in dim_operations.cpp.
#include "compiler/ir/dim.hpp"

#include <algorithm>

#include "compiler/support/checked.hpp"

namespace onnxc {

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

std::int64_t Dim::value() const {
  if (is_const()) return constant_;
  throw SymbolicExtent("needs a fixed size, but " + to_string() + " is dynamic");
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

Dim Dim::map_atoms(const std::function<Dim(const DimAtom&)>& f) const {
  Dim r = constant_;
  for (const Term& t : terms_) {
    Dim product = t.coefficient;
    for (const auto& atom : t.factors) product = product * f(*atom);
    r = r + product;
  }
  return r;
}

Dim Dim::apply_all(DimAtomKind kind, const std::vector<Dim>& args) {
  Dim r = args[0];
  for (std::size_t i = 1; i < args.size(); ++i) r = apply(kind, r, args[i]);
  return r;
}

Dim Dim::substitute(const Lookup& lookup) const {
  return map_atoms([&](const DimAtom& atom) {
    if (atom.kind == DimAtom::Kind::symbol) {
      const auto found = lookup(atom.text);
      return found ? *found : from_atom(atom);
    }
    std::vector<Dim> args;
    for (const Dim& arg : atom.args) args.push_back(arg.substitute(lookup));
    return apply_all(atom.kind, args);
  });
}

bool Dim::mentions(DimAtomKind kind) const {
  const auto in_args = [kind](const Dim& arg) { return arg.mentions(kind); };
  const auto in_atom = [&](const auto& atom) {
    return atom->kind == kind || std::any_of(atom->args.begin(), atom->args.end(), in_args);
  };
  return std::any_of(terms_.begin(), terms_.end(), [&](const Term& t) {
    return std::any_of(t.factors.begin(), t.factors.end(), in_atom);
  });
}

Dim Dim::under(const std::vector<DimLimit>& limits) const {
  if (!mentions(DimAtomKind::min) && !mentions(DimAtomKind::max)) return *this;
  // Whether sign * d is never above sign * limit.
  const auto within = [&](std::int64_t sign, const Dim& d, std::int64_t limit) {
    return std::any_of(limits.begin(), limits.end(), [&](const DimLimit& known) {
      return (known.dim - sign * d).is_never_below(known.most - sign * limit);
    });
  };
  return map_atoms([&](const DimAtom& atom) {
    if (atom.kind == DimAtom::Kind::symbol) return from_atom(atom);
    std::vector<Dim> args;
    for (const Dim& arg : atom.args) args.push_back(arg.under(limits));
    const int sign = atom.kind == DimAtom::Kind::min ? 1 : atom.kind == DimAtom::Kind::max ? -1 : 0;
    const auto limit = args.back().constant();  // constants are last
    const auto reaches_no_limit = [&](const Dim& d) { return within(sign, d, *limit); };
    if (sign != 0 && limit && std::any_of(args.begin(), args.end() - 1, reaches_no_limit))
      args.pop_back();
    return apply_all(atom.kind, args);
  });
}

void Dim::collect_symbols(std::vector<std::string>& out) const {
  for (const Term& t : terms_)
    for (const auto& f : t.factors) {
      if (f->kind == DimAtom::Kind::symbol) out.push_back(f->text);
      for (const Dim& arg : f->args) arg.collect_symbols(out);
    }
}

void Dim::each_term(const TermVisitor& f) const {
  for (const Term& t : terms_) {
    std::vector<const DimAtom*> factors;
    for (const auto& atom : t.factors) factors.push_back(atom.get());
    f(t.coefficient, factors);
  }
  if (constant_ != 0) f(constant_, {});
}

std::optional<std::string> Dim::as_symbol() const {
  if (constant_ != 0 || terms_.size() != 1 || terms_[0].coefficient != 1) return std::nullopt;
  const auto& factors = terms_[0].factors;
  if (factors.size() != 1 || factors[0]->kind != DimAtom::Kind::symbol) return std::nullopt;
  return factors[0]->text;
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

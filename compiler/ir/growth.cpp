// Turns expressions into polynomials with real coefficients.
#include "compiler/ir/growth.hpp"

#include <algorithm>
#include <map>

namespace onnxc {
namespace {

using Symbols = std::vector<std::string>;
using Polynomial = std::map<Symbols, double>;

Polynomial operator*(const Polynomial& a, const Polynomial& b) {
  Polynomial product;
  for (const auto& [x, p] : a)
    for (const auto& [y, q] : b) {
      Symbols symbols = x;
      symbols.insert(symbols.end(), y.begin(), y.end());
      std::sort(symbols.begin(), symbols.end());
      product[symbols] += p * q;
    }
  return product;
}

class Expansion {
 public:
  explicit Expansion(const TypicalSize& typical) : typical_(typical) {}

  Polynomial of(const Dim& d) {
    Polynomial sum;
    d.each_term([&](std::int64_t coefficient, const std::vector<const DimAtom*>& factors) {
      Polynomial product = {{{}, static_cast<double>(coefficient)}};
      for (const DimAtom* atom : factors) product = product * of(*atom);
      for (const auto& [symbols, c] : product) sum[symbols] += c;
    });
    return sum;
  }

  double value(const Polynomial& p) const {
    double sum = 0;
    for (const auto& [symbols, coefficient] : p) sum += value(symbols, coefficient);
    return sum;
  }

  double value(const Symbols& symbols, double coefficient) const {
    for (const std::string& s : symbols) coefficient *= typical_(s);
    return coefficient;
  }

  bool is_exact() const { return is_exact_; }

 private:
  Polynomial of(const DimAtom& atom) {
    if (atom.kind == DimAtomKind::symbol) return {{{atom.text}, 1}};
    is_exact_ = false;
    switch (atom.kind) {
      case DimAtomKind::floor_div:
      case DimAtomKind::trunc_div:
        return quotient(of(atom.args[0]), value(of(atom.args[1])));
      case DimAtomKind::broadcast_stride:
        return of(atom.args[1]);
      case DimAtomKind::from_end:
        return of(atom.args[0]);
      default:
        return deciding(atom.args, atom.kind == DimAtomKind::min);
    }
  }

  static Polynomial quotient(Polynomial p, double divisor) {
    for (auto& [symbols, coefficient] : p) coefficient /= divisor > 0 ? divisor : 1;
    return p;
  }

  Polynomial deciding(const std::vector<Dim>& args, bool smallest) {
    Polynomial best = of(args[0]);
    for (std::size_t i = 1; i < args.size(); ++i) {
      Polynomial next = of(args[i]);
      if (smallest == (value(next) < value(best))) best = std::move(next);
    }
    return best;
  }

  const TypicalSize& typical_;
  bool is_exact_ = true;
};

}  // namespace

Growth growth_of(const Dim& d, const TypicalSize& typical) {
  constexpr double kEnough = 0.9;
  Expansion expansion(typical);
  struct Sized {
    GrowthTerm term;
    double value;
  };
  std::vector<Sized> terms;
  double sum = 0;
  for (const auto& [symbols, coefficient] : expansion.of(d)) {
    const double value = expansion.value(symbols, coefficient);
    sum += std::max(value, 0.0);
    if (coefficient != 0) terms.push_back({{coefficient, symbols}, value});
  }
  std::stable_sort(terms.begin(), terms.end(),
                   [](const Sized& a, const Sized& b) { return a.value > b.value; });
  Growth growth;
  growth.is_exact = expansion.is_exact();
  double kept = 0;
  for (const Sized& t : terms) {
    if (kept >= kEnough * sum) {
      growth.is_exact = false;
      break;
    }
    growth.terms.push_back(t.term);
    kept += t.value;
  }
  return growth;
}

}  // namespace onnxc

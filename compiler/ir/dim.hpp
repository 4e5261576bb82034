// One extent of a shape: a constant or a symbolic expression.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace onnxc {

struct DimAtom;  // a symbol, or an operation that a polynomial cannot express

// Integer expression in canonical form: a constant plus a sum of coefficient * product of atoms.
// Equal expressions compare equal when their canonical forms agree, so `N*2 - N == N` holds.
// All arithmetic is checked and throws OverflowError.
class Dim {
 public:
  Dim() = default;
  Dim(std::int64_t value) : constant_(value) {}  // NOLINT: a number is an extent

  static Dim symbol(const std::string& name);
  static Dim floor_div(const Dim& a, const Dim& b);
  static Dim ceil_div(const Dim& a, const Dim& b);
  static Dim min(const Dim& a, const Dim& b);
  static Dim max(const Dim& a, const Dim& b);

  bool is_const() const { return terms_.empty(); }
  bool is(std::int64_t value) const { return is_const() && constant_ == value; }
  std::int64_t value() const { return constant_; }  // only when is_const()
  std::optional<std::int64_t> constant() const;

  friend Dim operator+(const Dim& a, const Dim& b);
  friend Dim operator-(const Dim& a, const Dim& b);
  friend Dim operator*(const Dim& a, const Dim& b);
  friend bool operator==(const Dim& a, const Dim& b);

  // Replaces symbols; `lookup` returns nullopt for those that stay.
  using Lookup = std::function<std::optional<Dim>(const std::string& symbol)>;
  Dim substitute(const Lookup& lookup) const;
  void collect_symbols(std::vector<std::string>& out) const;

  // "N*2 + floor_div(H - 3, 2)"; also what the text form of the IR parses.
  std::string to_string() const;

 private:
  struct Term {
    std::int64_t coefficient = 0;
    std::vector<std::shared_ptr<const DimAtom>> factors;  // sorted by text
    std::string key;                                      // the factors' text, joined
  };
  static Dim from_atom(DimAtom atom);
  void add_term(Term term);

  std::int64_t constant_ = 0;
  std::vector<Term> terms_;  // sorted by key, no zero coefficients
};

struct DimAtom {
  enum class Kind { symbol, floor_div, min, max };
  Kind kind = Kind::symbol;
  std::string text;       // the symbol's name, or the printed operation
  std::vector<Dim> args;  // two, unless a symbol
};

}  // namespace onnxc

// One dimension of a shape: a constant or a symbolic expression.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace onnxc {

// Thrown where a number is needed and the dimension is dynamic.
struct SymbolicExtent : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct DimLimit;
struct DimAtom;  // a symbol, or an operation that a polynomial cannot express
enum class DimAtomKind {
  symbol,
  floor_div,
  trunc_div,
  min,
  max,
  broadcast,
  broadcast_stride,
  from_end
};

// Integer expression in canonical form: a constant plus a sum of coefficient * product of atoms.
// Equal expressions compare equal when their canonical forms agree, so `N*2 - N == N` holds.
// All arithmetic is checked and throws OverflowError.
// Symbols are extents, which are never negative. An expression is any integer, such as N - 4; where
// one becomes an extent of a shape, Infer::output checks its sign.
class Dim {
 public:
  // The values that an expression may take; an end without a limit is nullopt.
  struct Interval {
    std::optional<std::int64_t> low, high;
  };
  Dim() = default;
  Dim(std::int64_t value) : constant_(value) {}  // NOLINT: a number is a dimension

  static Dim symbol(const std::string& name);
  static Dim floor_div(const Dim& a, const Dim& b);
  static Dim ceil_div(const Dim& a, const Dim& b);
  // Rounded towards zero, as integers divide in ONNX. b is a constant other than 0.
  static Dim trunc_div(const Dim& a, const Dim& b);
  // The order, nesting and repetition of the operands of min, max and broadcast do not matter: each
  // holds a set of operands, without redundant ones.
  static Dim min(const Dim& a, const Dim& b);
  static Dim max(const Dim& a, const Dim& b);
  // The dimension that two dimensions broadcast to: the one that is not 1. Two that are not 1 must
  // be equal; the caller checks that. So an operand that is known never to be 1 is the result.
  static Dim broadcast(const Dim& a, const Dim& b);
  // A stride along an axis that may broadcast: 0 where the dimension is 1.
  static Dim broadcast_stride(const Dim& extent, const Dim& stride);
  // The index of an axis of that extent, counted from the end if it is negative.
  static Dim from_end(const Dim& index, const Dim& extent);

  bool is_const() const { return terms_.empty(); }
  bool is(std::int64_t value) const { return is_const() && constant_ == value; }
  // For all values of the symbols, which are dimensions and so never negative.
  bool is_never_below(std::int64_t limit) const;
  bool is_never_above(std::int64_t limit) const;
  bool is_never_one() const;
  // Whether this is `divisor` times another expression; false if that does not show.
  bool is_multiple_of(const Dim& divisor) const;
  std::int64_t value() const;  // throws SymbolicExtent unless is_const()
  std::optional<std::int64_t> constant() const;

  friend Dim operator+(const Dim& a, const Dim& b);
  friend Dim operator-(const Dim& a, const Dim& b);
  friend Dim operator*(const Dim& a, const Dim& b);
  friend bool operator==(const Dim& a, const Dim& b);

  // Replaces symbols; `lookup` returns nullopt for a symbol to keep.
  using Lookup = std::function<std::optional<Dim>(const std::string& symbol)>;
  Dim substitute(const Lookup& lookup) const;
  // Without the constants in min and max that the other operands never reach, if the limits hold.
  Dim under(const std::vector<DimLimit>& limits) const;
  // The operands if this is a single operation of that kind, else itself.
  std::vector<Dim> operands_of(DimAtomKind kind) const;
  void collect_symbols(std::vector<std::string>& out) const;
  // Calls f(coefficient, factors) for each term of the sum; the constant has no factors.
  using TermVisitor =
      std::function<void(std::int64_t coefficient, const std::vector<const DimAtom*>& factors)>;
  void each_term(const TermVisitor& f) const;
  // The name if this is a single symbol.
  std::optional<std::string> as_symbol() const;

  // Text made of this expression's parts, for printing it in another language: `atom` prints a
  // symbol or an operation, whose arguments it prints itself.
  std::string render(const std::function<std::string(const DimAtom&)>& atom) const;
  // The largest and the smallest possible value when `largest` and `smallest` give the limits of a
  // symbol; nullopt without a limit or if it does not fit 64 bits.
  using Limit = std::function<std::optional<std::int64_t>(const std::string& symbol)>;
  Interval interval(const Limit& largest, const Limit& smallest) const;
  std::optional<std::int64_t> at_most(const Limit& largest, const Limit& smallest) const;
  std::optional<std::int64_t> at_least(const Limit& largest, const Limit& smallest) const;

  // "N*2 + floor_div(H - 3, 2)"; also what the text form of the IR parses.
  std::string to_string() const;

 private:
  struct Term {
    std::int64_t coefficient = 0;
    std::vector<std::shared_ptr<const DimAtom>> factors;  // sorted by text
    std::string key;                                      // the factors' text, joined
  };
  static Dim from_atom(DimAtom atom);
  static Dim apply(DimAtomKind kind, const Dim& a, const Dim& b);
  static Dim call(DimAtomKind kind, std::vector<Dim> args);
  bool mentions(DimAtomKind kind) const;
  static Dim apply_all(DimAtomKind kind, const std::vector<Dim>& args);
  // Each atom replaced by the result of `f`.
  Dim map_atoms(const std::function<Dim(const DimAtom&)>& f) const;
  const DimAtom* as_atom() const;  // if this is a single atom
  static std::vector<Dim> merged_operands(DimAtomKind kind, const Dim& a, const Dim& b);
  // This divided by a constant if that leaves no remainder, whatever the symbols.
  std::optional<Dim> exact_quotient(std::int64_t divisor) const;
  void add_term(Term term);

  std::int64_t constant_ = 0;
  std::vector<Term> terms_;  // sorted by key, no zero coefficients
};

// A fact: `dim` is never above `most`.
struct DimLimit {
  Dim dim;
  std::int64_t most = 0;
};

// Further functions in the scratch sizes of kernels, besides + - *: the names of
// runtime_min/extent_arithmetic.hpp, and the quotient of positive dimensions.
inline Dim min_extent(const Dim& a, const Dim& b) { return Dim::min(a, b); }
inline Dim max_extent(const Dim& a, const Dim& b) { return Dim::max(a, b); }
inline Dim fitting(const Dim& capacity, const Dim& piece) {
  return Dim::floor_div(capacity, piece);
}
inline Dim operator/(const Dim& a, const Dim& b) { return Dim::floor_div(a, b); }

struct DimAtom {
  using Kind = DimAtomKind;
  Kind kind = Kind::symbol;
  std::string text;       // the symbol's name, or the printed operation
  std::vector<Dim> args;  // none for a symbol; two, or more for min, max and broadcast
};

}  // namespace onnxc

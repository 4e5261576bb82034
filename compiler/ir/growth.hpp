// How an expression of sizes grows: its leading terms, as one would write them on a whiteboard.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/ir/dim.hpp"

namespace onnxc {

// coefficient * product of symbols.
struct GrowthTerm {
  double coefficient = 0;
  std::vector<std::string> symbols;  // sorted; a square names its symbol twice
};

struct Growth {
  std::vector<GrowthTerm> terms;  // the largest first
  bool is_exact = true;           // false: smaller terms are missing, or roundings of quotients
};

// A size that stands for all that a symbol may take, such as the largest of its range.
using TypicalSize = std::function<double(const std::string& symbol)>;

// Quotients without their rounding, of min and max the operand that decides at typical sizes, and
// no more terms than make up nine tenths of the sum there.
Growth growth_of(const Dim& d, const TypicalSize& typical);

}  // namespace onnxc

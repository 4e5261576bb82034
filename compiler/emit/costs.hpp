// What the code of a model takes in addition to its arena and weights.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/program.hpp"
#include "compiler/support/target.hpp"

namespace onnxc {

struct Costs {
  std::int64_t code_bytes = 0;              // without weights
  std::int64_t code_bytes_at_most = 0;      // what limits judge: of an estimate its upper end
  std::optional<std::int64_t> stack_bytes;  // an upper bound; none: not known
  std::string compiler;                     // that the figures are from; empty: an estimate

  bool measured() const { return !compiler.empty(); }
};

// From the kernels that the programs of one source instantiate, with -O2, or, `small`, for code of
// --optimize size with -Os. tests/bench/code_sizes.py says how far estimates lie from what
// compilers make of the code, and fits their numbers.
Costs estimate_costs(const std::vector<const Program*>& programs, const Target& target, bool small);

}  // namespace onnxc

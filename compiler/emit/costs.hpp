// What the code of a model takes in addition to its arena and weights.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "compiler/ir/program.hpp"
#include "compiler/support/target.hpp"

namespace onnxc {

struct Costs {
  std::int64_t code_bytes = 0;              // without weights
  std::optional<std::int64_t> stack_bytes;  // an upper bound; none: not known
  std::string compiler;                     // that the figures are from; empty: an estimate

  bool measured() const { return !compiler.empty(); }
};

// From the kernels that the program instantiates. Within a factor of two, mostly.
Costs estimate_costs(const Program& program, const Target& target, bool small);

}  // namespace onnxc

// Values of sizes, and what amounts are at them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "compiler/ir/dim.hpp"

namespace onnxc {

using SizeValues = std::map<std::string, std::int64_t>;  // by symbol

// Nullopt where a size has no value, or the amount does not fit in 64 bits.
std::optional<std::int64_t> at_sizes(const Dim& amount, const SizeValues& sizes);

}  // namespace onnxc

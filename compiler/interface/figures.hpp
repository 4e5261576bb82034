// Amounts of work and memory for people: with units, and open sizes by name.
#pragma once

#include <optional>
#include <string>

#include "compiler/ir/program.hpp"

namespace onnxc {

// "735.95 M * batch", "128*batch*length + 64": a count, with a unit where it is long.
std::string count_text(const Dim& count);
// "40.1 KiB * batch": bytes.
std::string bytes_text(const Dim& bytes);
// "at most 5.89 G" where only the bound is a number.
std::string count_text(const Dim& count, const std::optional<std::int64_t>& at_most);

// What a run takes from the allocator at its peak, in terms of the sizes of the inputs; nullopt
// where other things decide. Of peaks that no size makes the largest for all others, the one that
// is larger when all sizes are.
std::optional<Dim> heap_bytes(const Program& program);

}  // namespace onnxc

// Amounts of work and memory for people: with units, and open sizes by name.
#pragma once

#include <optional>
#include <string>

#include "compiler/ir/program.hpp"
#include "compiler/support/quantity.hpp"

namespace onnxc {

// "128*batch*length + 64": all terms, sizes without a name of the model as generated code calls
// them.
std::string exact_text(const Dim& amount);
// "70", "about 9040 * batch*height*width": of an open amount the leading terms.
std::string leading_text(const Dim& amount);
// "12.5 MMAC", "about 9040 * batch*height*width MAC".
std::string macs_text(const Dim& macs);
// The same, or "at most 5.89 GMAC" where only the bound is a number.
std::string macs_text(const Dim& macs, const std::optional<std::int64_t>& at_most);
// "40.1 KiB", "about 40.1 KiB * batch".
std::string bytes_text(const Dim& bytes);

// What a run takes from the allocator at its peak, in terms of the sizes of the inputs; nullopt
// where other things decide. Of peaks that no size makes the largest for all others, the one that
// is larger when all sizes are.
std::optional<Dim> heap_bytes(const Program& program);

}  // namespace onnxc

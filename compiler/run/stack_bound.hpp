// The deepest stack of a function, from the call graph that GCC writes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace onnxc {

// `graph`: the files of -fcallgraph-info=su, one after the other. The bound holds for the functions
// whose names begin with `prefix` and what they call, in the generated code and in the C library;
// not for user callbacks, such as a hook. Nullopt for recursion, frames without a limit, and text
// that is no such graph.
std::optional<std::int64_t> stack_bound(const std::string& graph, const std::string& prefix);

}  // namespace onnxc

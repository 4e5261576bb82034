// What the generated code takes: from the compiler of its target, from objects and programs in ELF,
// COFF or Mach-O, and from the call graph that GCC writes.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string>

#include "compiler/session/session.hpp"

namespace onnxc {

// Compiles the files of a model with $CXX, or with the usual compiler of its target, and, for a
// bare core, links them with the functions of libraries that they call. Nullopt without such a
// compiler. Throws FatalError(io) where it refuses the code.
std::optional<Costs> measure_costs(const CompileResult& generated, const CompileOptions& options);

// Bytes of machine code; 0 for other formats. Throws FatalError if the file cannot be read.
std::int64_t code_bytes_of(const std::string& path);

// Bytes that go into flash: code, constants and initial values. Otherwise as code_bytes_of.
std::int64_t flash_bytes_of(const std::string& path);

// The byte order of the machine that it is for; little for other formats.
std::endian byte_order_of(const std::string& path);

// The deepest stack of a function. `graph`: the files of -fcallgraph-info=su, one after the other.
// The bound holds for the functions whose names begin with `prefix` and what they call, in the
// generated code and in the C library; not for user callbacks, such as a hook. Nullopt for
// recursion, frames without a limit, and text that is no such graph.
std::optional<std::int64_t> stack_bound(const std::string& graph, const std::string& prefix);

}  // namespace onnxc

// The test that generated code carries: recorded inputs, the expected outputs, and a function that
// compares.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/emit/emit.hpp"
#include "compiler/support/diagnostics.hpp"

namespace onnxc {

struct SelfTest {
  std::vector<Tensor> inputs, outputs;

  std::int64_t bytes() const;  // in flash
};

// Reads input_N.pb and output_N.pb of the folder. Floats that were recorded for a port of integers
// are quantised. Errors if they do not fit the ports, or the interface has what cannot be built in.
SelfTest read_self_test(const std::string& folder, const EmitContext& context,
                        Diagnostics& diagnostics);

// Bytes that the outputs take, one after the other.
std::int64_t self_test_memory(const EmitContext& context);

// kws_status kws_selftest(void* arena, void* memory, kws_difference* difference)
std::string self_test_signature(const EmitContext& context);
std::string emit_self_test_data(const EmitContext& context);
std::string emit_self_test_function(const EmitContext& context);

}  // namespace onnxc

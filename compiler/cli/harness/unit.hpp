// unit.hpp - one generated function as the drivers see it.
#pragma once

#include <cstddef>

struct onnxc_unit {
  std::size_t inputs, outputs;
  const std::size_t* input_bytes;
  const std::size_t* output_bytes;
  std::size_t arena_bytes, arena_align;
  std::size_t weights_bytes;  // read after the inputs, and passed as one more
  int (*run)(const void* const* in, void* const* out, void* arena);
};

// Written for each driver program.
extern const onnxc_unit* const onnxc_units[];

// unit.hpp - one generated function, as the drivers call it.
#pragma once

#include <cstddef>
#include <cstdint>

// One input or output in the format of the drivers. `items` has `count` entries for a list, two for
// a map: keys and values; `nothing` is the empty optional.
struct onnxc_value {
  enum kind_type : std::uint32_t { nothing, tensor, list, map } kind;
  std::int64_t* dims;
  std::size_t rank;
  void* data;
  std::size_t bytes;  // of an output: its capacity before the call
  onnxc_value* items;
  std::size_t count;
};

constexpr std::size_t onnxc_any_size = static_cast<std::size_t>(-1);

struct onnxc_unit {
  std::size_t inputs, outputs;
  const std::size_t* output_bytes;  // onnxc_any_size: dynamic
  const std::size_t* output_ranks;
  std::size_t arena_bytes, arena_align;
  std::size_t weights_bytes;  // given as one more input
  // Stores in an output's `count` how many bytes it needs.
  int (*run)(const onnxc_value* in, onnxc_value* out, void* arena);
};

constexpr int onnxc_out_of_memory = 4;
constexpr int onnxc_too_small = 6;  // the status that asks for more memory

// Written for each driver program.
extern const onnxc_unit* const onnxc_units[];

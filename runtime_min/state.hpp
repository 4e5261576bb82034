// state.hpp - the header of the state block of a model that is trained. The block is plain bytes:
// a copy of it, in a file or in flash, is a saved state.
#pragma once

#include <cstdint>
#include <cstring>

#include "runtime_min/extent.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

// The first 64 bytes.
struct StateHeader {
  std::uint64_t magic;   // also determines the byte order
  std::uint64_t layout;  // hash of the names, types and shapes of the variables
  std::uint64_t runs;    // training steps since the first contents
  std::uint64_t unused[5];
};
static_assert(sizeof(StateHeader) == 64);

constexpr std::uint64_t kStateMagic = 0x316574617473786fu;

inline StateHeader state_header(const void* state) {
  StateHeader header;
  std::memcpy(&header, state, sizeof header);
  return header;
}

inline void start_state(void* state, std::uint64_t layout) {
  const StateHeader header = {kStateMagic, layout, 0, {}};
  std::memcpy(state, &header, sizeof header);
}

inline bool is_state(const void* state, std::uint64_t layout) {
  const StateHeader header = state_header(state);
  return header.magic == kStateMagic && header.layout == layout;
}

// Ends a training step.
inline void count_run(void* state) {
  StateHeader header = state_header(state);
  ++header.runs;
  std::memcpy(state, &header, sizeof header);
}

// The number by which random operators draw: 31 bits of a counter or seed, so that it is an Index
// everywhere.
inline Extent draw_number(std::uint64_t n) {
  return Extent(static_cast<std::int64_t>((n ^ n >> 31 ^ n >> 62) & 0x7fffffffu));
}

}  // namespace onnxc

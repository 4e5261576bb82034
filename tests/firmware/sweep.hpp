// sweep.hpp - the sweep model's tensors, by the lists of sweep_data.h: host and firmware run it on
// the same inputs.
#pragma once

#include <cstdint>
#include <cstring>

#include "sweep.h"
#include "sweep_data.h"

namespace sweep {

#define SWEEP_INPUT(name, type) inline type name[sizeof k_##name / sizeof(type)];
SWEEP_INPUTS(SWEEP_INPUT)
#undef SWEEP_INPUT

#define SWEEP_OUTPUT(name, type, count, rule) inline type name[count];
SWEEP_OUTPUTS(SWEEP_OUTPUT)
#undef SWEEP_OUTPUT

alignas(SWEEP_ARENA_ALIGN) inline std::uint8_t arena[SWEEP_ARENA_BYTES + 1];

// Whether the model reports success; its results are then in the arrays above.
inline bool run() {
  sweep_inputs in;
  sweep_outputs out;
#define SWEEP_INPUT(name, type)             \
  std::memcpy(name, k_##name, sizeof name); \
  in.name = name;
  SWEEP_INPUTS(SWEEP_INPUT)
#undef SWEEP_INPUT
#define SWEEP_OUTPUT(name, type, count, rule) out.name = name;
  SWEEP_OUTPUTS(SWEEP_OUTPUT)
#undef SWEEP_OUTPUT
  return sweep_run(&in, &out, arena) == SWEEP_OK;
}

}  // namespace sweep

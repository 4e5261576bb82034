// training.hpp - trains the model `net`, inputs x [30,4] and t [30,3], on points that are the same
// on every machine. For the host and for the firmware.
#pragma once

#include "net.h"

alignas(NET_STATE_ALIGN) static unsigned char state[NET_STATE_BYTES];
alignas(NET_ARENA_ALIGN) static unsigned char arena[NET_TRAIN_ARENA_BYTES + 1];

// Numbers in [-1, 1).
inline float random_number() {
  static std::uint32_t seed = 1;
  seed = seed * 1664525u + 1013904223u;
  return static_cast<float>(seed >> 8) / 8388608.0f - 1.0f;
}

// One step on fresh points: which of the first three numbers is the largest?
inline bool train_step() {
  static float x[30 * 4], t[30 * 3];
  for (float& v : x) v = random_number();
  for (int row = 0; row < 30; ++row) {
    const float* p = x + 4 * row;
    for (int k = 0; k < 3; ++k)
      t[3 * row + k] = p[k] >= p[0] && p[k] >= p[1] && p[k] >= p[2] ? 1.0f : 0.0f;
  }
  net_train_inputs in = {};
  in.x = x;
  in.t = t;
  const net_train_outputs out = {};
  return net_train(&in, &out, state, arena) == NET_OK;
}

inline bool train(int steps) {
  if (net_init(state, 0, arena) != NET_OK) return false;
  for (int i = 0; i < steps; ++i)
    if (!train_step()) return false;
  return true;
}

constexpr int kSteps = 100;

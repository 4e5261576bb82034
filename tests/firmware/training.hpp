// training.hpp - trains the model `net` on data that are the same on every machine, for the host
// and for the firmware. TASK_POINTS: which of the first three numbers is the largest, with inputs x
// [30,4] and t [30,3]. TASK_DIGITS: x [1,1,12,12] and y [1,CLASSES]. TASK_CHARACTERS: x [1,16], the
// text in text.h.
#pragma once

#include "net.h"

alignas(NET_STATE_ALIGN) static unsigned char state[NET_STATE_BYTES];
alignas(NET_ARENA_ALIGN) static unsigned char arena[NET_TRAIN_ARENA_BYTES + 1];

// A step with these data; its loss.
inline bool train_on(const net_train_inputs& in, float& loss) {
  net_train_outputs out = {};
  out.loss = &loss;
  return net_train(&in, &out, state, arena) == NET_OK;
}

#if defined(TASK_POINTS)

// Numbers in [-1, 1).
inline float random_number() {
  static std::uint32_t seed = 1;
  seed = seed * 1664525u + 1013904223u;
  return static_cast<float>(seed >> 8) / 8388608.0f - 1.0f;
}

inline bool train_step(float& loss) {
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
  return train_on(in, loss);
}

#elif defined(TASK_DIGITS)

#include "tests/training/digits.hpp"

inline bool train_step(float& loss) {
  static digits::Source source(1);
  static float pixels[digits::kPixels];
  const std::int64_t kind = source.draw(0, CLASSES, pixels);
  net_train_inputs in = {};
  in.x = pixels;
  in.labels = &kind;
  return train_on(in, loss);
}

#else

#include "text.h"

inline bool train_step(float& loss) {
  constexpr unsigned kTime = 16;
  static std::uint32_t seed = 1;
  seed = seed * 1664525u + 1013904223u;
  const unsigned char* const text = kText + (seed >> 8) % (sizeof kText - kTime);
  std::int64_t symbols[kTime + 1];
  for (unsigned i = 0; i <= kTime; ++i)
    symbols[i] = text[i] >= 32 && text[i] < 127 ? text[i] - 32 : text[i] == '\n' ? 95 : 0;
  net_train_inputs in = {};
  in.x = symbols;
  in.labels = symbols + 1;
  return train_on(in, loss);
}

#endif

constexpr int kSteps = 100;

inline bool train(float& loss) {
  if (net_init(state, 0, arena) != NET_OK) return false;
  for (int i = 0; i < kSteps; ++i)
    if (!train_step(loss)) return false;
  return true;
}

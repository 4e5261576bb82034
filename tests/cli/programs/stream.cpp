// A signal in chunks, with the state between them, against the whole signal.
#include <cmath>
#include <cstdint>

#include "chunks.h"
#include "whole.h"

alignas(64) unsigned char arena_a[WHOLE_ARENA_BYTES], arena_b[CHUNKS_ARENA_BYTES];

int differences(std::int64_t rate) {
  float x[24];
  for (int i = 0; i < 24; ++i) x[i] = std::sin(static_cast<float>(i * i));
  const float zero[3] = {};
  float y[36], h[3], c[3];
  const whole_inputs all = {x, zero, zero, &rate};
  const whole_outputs end = {y, h, c};
  if (whole_run(&all, &end, arena_a) != WHOLE_OK) return 1;

  float part[12], state_h[2][3] = {}, state_c[2][3] = {};
  int bad = 0;
  for (int k = 0; k < 3; ++k) {
    const chunks_inputs in = {x + 8 * k, state_h[k % 2], state_c[k % 2], &rate};
    const chunks_outputs out = {part, state_h[1 - k % 2], state_c[1 - k % 2]};
    if (chunks_run(&in, &out, arena_b) != CHUNKS_OK) return 1;
    for (int i = 0; i < 12; ++i) bad += std::fabs(part[i] - y[12 * k + i]) > 1e-6f;
  }
  for (int i = 0; i < 3; ++i)
    bad += std::fabs(state_h[1][i] - h[i]) + std::fabs(state_c[1][i] - c[i]) > 1e-6f;
  return bad;
}

int main() { return differences(16000) + differences(8000); }

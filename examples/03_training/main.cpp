// Learns from examples which points lie inside a ring, saves what it has learned, and continues
// from the saved state.
#include <cstdio>
#include <cstring>

#include "rings.h"

namespace {

constexpr int kBatch = 32;

alignas(RINGS_STATE_ALIGN) unsigned char state[RINGS_STATE_BYTES];
alignas(RINGS_ARENA_ALIGN) unsigned char arena[RINGS_TRAIN_ARENA_BYTES > RINGS_ARENA_BYTES
                                                   ? RINGS_TRAIN_ARENA_BYTES
                                                   : RINGS_ARENA_BYTES];

// Numbers in [-1, 1).
float random_number() {
  static unsigned seed = 1;
  seed = seed * 1664525u + 1013904223u;
  return static_cast<float>(seed >> 8) / 8388608.0f - 1.0f;
}

bool is_inside(const float* point) {
  const float square = point[0] * point[0] + point[1] * point[1];
  return square > 0.15f && square < 0.75f;
}

void random_points(float* points) {
  for (int i = 0; i < 2 * kBatch; ++i) points[i] = random_number();
}

// One step on fresh points; returns its loss, negative after an error.
float train_step() {
  float points[2 * kBatch], labels[kBatch], loss = -1.0f;
  random_points(points);
  for (int i = 0; i < kBatch; ++i) labels[i] = is_inside(points + 2 * i) ? 1.0f : 0.0f;
  rings_train_inputs in = {};
  in.point = points;
  in.point_dims[0] = kBatch;
  in.point_dims[1] = 2;
  in.labels = labels;
  in.labels_dims[0] = kBatch;
  in.labels_dims[1] = 1;
  rings_train_outputs out = {};  // the other outputs are left out
  out.loss = &loss;
  return rings::train(in, out, state, arena) == RINGS_OK ? loss : -1.0f;
}

// The share of new points that are classified correctly.
double accuracy() {
  int right = 0, all = 0;
  for (int batch = 0; batch < 50; ++batch) {
    float points[2 * kBatch], inside[kBatch] = {};
    random_points(points);
    rings_inputs in = {};
    in.point = points;
    in.point_dims[0] = kBatch;
    in.point_dims[1] = 2;
    in.state_ = state;
    rings_outputs out = {};
    out.inside = inside;
    out.inside_capacity = kBatch;
    if (rings::run(in, out, arena) != RINGS_OK) return 0.0;
    for (int i = 0; i < kBatch; ++i, ++all)
      right += (inside[i] > 0.5f) == is_inside(points + 2 * i);
  }
  return 100.0 * right / all;
}

bool train(int steps) {
  float sum = 0.0f;
  for (int i = 0; i < steps; ++i) {
    const float loss = train_step();
    if (loss < 0.0f) return false;
    sum += loss;
  }
  std::printf("%5d steps  mean loss %.3f  accuracy %.1f %%\n", steps,
              static_cast<double>(sum) / steps, accuracy());
  return true;
}

}  // namespace

int main() {
  if (rings::init(state, 1, arena) != RINGS_OK) return 1;
  std::printf("      untrained               accuracy %.1f %%\n", accuracy());
  if (!train(500) || !train(1500)) return 1;

  // The block is plain bytes: a copy of it is a saved state, in a file or in flash.
  std::FILE* file = std::fopen("rings.state", "wb");
  if (!file || std::fwrite(state, sizeof state, 1, file) != 1 || std::fclose(file) != 0) return 1;
  std::memset(state, 0, sizeof state);
  if (train_step() >= 0.0f) return 1;  // RINGS_BAD_STATE
  file = std::fopen("rings.state", "rb");
  if (!file || std::fread(state, sizeof state, 1, file) != 1 || std::fclose(file) != 0) return 1;
  std::printf("saved %u bytes, and loaded them\n", static_cast<unsigned>(sizeof state));
  if (!train(2000)) return 1;
  return accuracy() > 90.0 ? 0 : 1;
}

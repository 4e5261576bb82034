// A model of fixed sizes, ended at every step; with -DSTEPS also run in blocks of steps.
#include "hook.hpp"

struct Result {
  float y[SHAPES_OUTPUT_PROBABILITY_SIZE];
};
static float x[SHAPES_INPUT_PICTURE_SIZE];

int main() {
  for (int i = 0; i < 256; ++i) x[i] = static_cast<float>(i * 37 % 101) / 50.0f - 1.0f;
  const auto run = [](const shapes_hook* hook, Result& r) {
    return shapes::run(x, r.y, arena, hook);
  };
  Result want = {};
  REQUIRE(run(nullptr, want) == SHAPES_OK);
  if (const int bad = cancel_everywhere(run, want)) return bad;
#ifdef STEPS
  shapes_inputs in = {};
  in.picture = x;
  for (uint32_t block = 1; block <= SHAPES_STEPS; ++block) {
    Result r = {};
    const shapes_outputs out = {r.y};
    for (uint32_t at = 0; at < SHAPES_STEPS; at += block) {
      const uint32_t end = at + block < SHAPES_STEPS ? at + block : SHAPES_STEPS;
      REQUIRE(shapes_run_steps(&in, &out, arena, at, end) == SHAPES_OK);
    }
    REQUIRE(std::memcmp(&r, &want, sizeof r) == 0);
  }
  Result r = {};
  const shapes_outputs out = {r.y};
  REQUIRE(shapes_run_steps(&in, &out, arena, 0, SHAPES_STEPS + 1) == SHAPES_BAD_ARGUMENT);
  REQUIRE(shapes_run_steps(&in, &out, arena, 2, 1) == SHAPES_BAD_ARGUMENT);
  REQUIRE(shapes_run_steps(nullptr, &out, arena, 0, 1) == SHAPES_BAD_ARGUMENT);
#endif
  return 0;
}

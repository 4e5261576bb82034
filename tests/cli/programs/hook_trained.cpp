// Training, ended at every step: before the state changes, or not at all.
#include "hook.hpp"

alignas(64) static unsigned char state[TRAINED_STATE_BYTES], before[TRAINED_STATE_BYTES];
alignas(64) static unsigned char memory[TRAINED_TRAIN_ARENA_BYTES];
static float some[1024];

int main() {
  for (int i = 0; i < 1024; ++i) some[i] = static_cast<float>(i % 7) / 7.0f;
  trained_train_inputs in = {};
  FILL const trained_train_outputs out = {};
  uint32_t cancelled = 0;
  for (uint32_t k = 0; k <= TRAINED_TRAIN_STEPS; ++k) {
    REQUIRE(trained_reset(state) == TRAINED_OK);
    std::memcpy(before, state, sizeof state);
    Stop stop{k, 0};
    const trained_hook hook = {stop_at, &stop};
    in.hook_ = &hook;
    const trained_status status = trained_train(&in, &out, state, memory);
    const bool same = std::memcmp(before, state, sizeof state) == 0;
    REQUIRE(status == (same ? TRAINED_CANCELLED : TRAINED_OK));
    cancelled += same ? 1u : 0u;
  }
  REQUIRE(cancelled > 1 && cancelled <= TRAINED_TRAIN_STEPS);
  return 0;
}

// Runs that a hook ends at each step. A model is its prefix in lower and upper case, MODEL and
// MODEL_CAPS; the program includes its header first.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "../model.hpp"

struct Stop {
  uint32_t at, calls;
};
inline int stop_at(void* context, uint32_t step, const char* name) {
  auto* stop = static_cast<Stop*>(context);
  if (step != stop->calls++ || name == nullptr || *name == '\0') std::abort();
  return step == stop->at ? 1 : 0;
}

#define REQUIRE(x) \
  if (!(x)) return std::printf("%s:%d: %s\n", __FILE__, __LINE__, #x), 1

alignas(64) static unsigned char arena[CAPS(_ARENA_BYTES) + 1];

// run(hook, y): the status of one run into y.
template <class Run, class Y>
int cancel_everywhere(Run run, const Y& want) {
  for (uint32_t k = 0; k <= CAPS(_STEPS); ++k) {
    Y y = {};
    Stop stop{k, 0};
    const NAME(_hook) hook = {stop_at, &stop};
    REQUIRE(run(&hook, y) == CAPS(_CANCELLED) && stop.calls == k + 1);
    std::memset(arena, 0xa5, sizeof arena);
    REQUIRE(run(nullptr, y) == CAPS(_OK) && std::memcmp(&y, &want, sizeof y) == 0);
  }
  Y y = {};
  Stop never{~0u, 0};
  const NAME(_hook) hook = {stop_at, &never};
  REQUIRE(run(&hook, y) == CAPS(_OK) && never.calls == CAPS(_STEPS) + 1);
  REQUIRE(std::memcmp(&y, &want, sizeof y) == 0);
  return 0;
}

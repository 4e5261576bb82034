// hook_app.cpp - a profile of the model by its steps, from the core's own timer: the hook reads it
// before each step and after the last. The steps have to make up the whole run within 1 %. Compiled
// with -DMODEL_HEADER, -DMODEL and -DMODEL_CAPS; data.h comes from the host.
#include <cstdint>

#include "../cli/model.hpp"
#include "data.h"
#include "startup.hpp"
#include "systick.hpp"

namespace {

alignas(CAPS(_ARENA_ALIGN)) std::uint8_t arena[CAPS(_ARENA_BYTES) + 1];
float result[kOutputs];

struct Profile {
  std::uint32_t spent[CAPS(_STEPS)] = {};
  std::uint32_t since = 0, seen = 0;
};

int measure(void* context, std::uint32_t step, const char*) {
  auto* profile = static_cast<Profile*>(context);
  const std::uint32_t now = systick::ticks();
  if (step > 0) profile->spent[step - 1] = now - profile->since;
  ++profile->seen;
  profile->since = systick::ticks();
  return 0;
}

int stop(void* context, std::uint32_t step, const char*) {
  return step == *static_cast<std::uint32_t*>(context) ? 1 : 0;
}

int fail(const char* what) {
  print(what);
  return 1;
}

NAME(_status) run(const NAME(_hook) * hook) {
  NAME(_inputs) in = {kInput, nullptr};
  in.hook_ = hook;
  const NAME(_outputs) out = {result};
  return NAME(_run)(&in, &out, arena);
}

bool is_right() {
  for (int i = 0; i < kOutputs; ++i)
    if (!(result[i] - kWanted[i] <= 1e-5f && kWanted[i] - result[i] <= 1e-5f)) return false;
  return true;
}

}  // namespace

extern "C" int app_main() {
  systick::start();
  Profile profile;
  const NAME(_hook) measuring = {measure, &profile};
  const std::uint32_t begin = systick::ticks();
  if (run(&measuring) != CAPS(_OK) || !is_right()) return fail("the run is wrong\n");
  const std::uint32_t whole = systick::ticks() - begin;
  std::uint32_t sum = 0;
  for (const std::uint32_t spent : profile.spent) sum += spent;
  if (profile.seen != CAPS(_STEPS) + 1) return fail("steps are missing\n");
  if (whole < 1000 || sum > whole || whole - sum > whole / 100)
    return fail("the steps are not the whole\n");
  for (std::uint32_t k = 0; k <= CAPS(_STEPS); ++k) {
    const NAME(_hook) stopping = {stop, &k};
    if (run(&stopping) != CAPS(_CANCELLED)) return fail("it was not cancelled\n");
    for (float& y : result) y = 0;
    if (run(nullptr) != CAPS(_OK) || !is_right()) return fail("the run after it is wrong\n");
  }
  return 0;
}

// instruction_counts.cpp - prints the time of each step of a model on a bare Cortex-M in QEMU, in
// ticks of the core's timer: with -icount every instruction takes the same time. The first line is
// the time of two million instructions, which makes ticks of any clock instructions. ports.h, which
// instruction_counts.py writes, has the model's header, its names and functions for its ports.
#include <cstdint>

#include "ports.h"
#include "tests/firmware/startup.hpp"
#include "tests/firmware/systick.hpp"

namespace {

struct Profile {
  std::uint32_t spent[kSteps + 1] = {}, since = 0;
  const char* names[kSteps + 1] = {};
};

int measure(void* context, std::uint32_t step, const char* name) {
  auto* profile = static_cast<Profile*>(context);
  if (step > 0) profile->spent[step - 1] = systick::since_last(profile->since);
  profile->names[step] = name;
  profile->since = systick::ticks();
  return 0;
}

}  // namespace

extern "C" int app_main() {
  systick::start();
  print_number("clock ", systick::of_two_million_instructions());
  static Profile profile;
  if (!run_model(measure, &profile)) return 1;
  for (int i = 0; i < kSteps; ++i) {
    print(profile.names[i]);
    print_number(" ", profile.spent[i]);
  }
  return 0;
}

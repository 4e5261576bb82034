// instruction_counts.cpp - prints the time of each step of a model on a bare Cortex-M in QEMU, in
// ticks of the core's timer: with -icount every instruction takes the same time. The first line is
// the time of two million instructions, which makes ticks of any clock instructions. ports.h, which
// instruction_counts.py writes, has the model's header, its names and functions for its ports.
#include <cstdint>

#include "ports.h"
#include "tests/firmware/startup.hpp"
#include "tests/firmware/systick.hpp"

namespace {

void print_number(const char* what, std::uint32_t number) {
  char text[12];
  char* p = text + 11;
  *p = 0;
  *--p = '\n';
  do {
    *--p = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number > 0);
  print(what);
  print(" ");
  print(p);
}

void wait_two_million_instructions() {
  std::uint32_t left = 1000000;
  asm volatile(".syntax unified\n1: subs %0, #1\n bne 1b" : "+l"(left) : : "cc");
}

struct Profile {
  std::uint32_t spent[kSteps + 1] = {}, since = 0;
  const char* names[kSteps + 1] = {};
};

int measure(void* context, std::uint32_t step, const char* name) {
  auto* profile = static_cast<Profile*>(context);
  if (step > 0) profile->spent[step - 1] = systick::since(profile->since);
  profile->names[step] = name;
  profile->since = systick::ticks();
  return 0;
}

}  // namespace

extern "C" int app_main() {
  systick::start();
  const std::uint32_t begin = systick::ticks();
  wait_two_million_instructions();
  print_number("clock", systick::since(begin));
  static Profile profile;
  if (!run_model(measure, &profile)) return 1;
  for (int i = 0; i < kSteps; ++i) print_number(profile.names[i], profile.spent[i]);
  return 0;
}

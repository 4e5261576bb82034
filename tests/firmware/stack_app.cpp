// stack_app.cpp - runs the model on a painted stack: it must not be touched deeper than the header
// says. Compiled with -DMODEL_HEADER, -DMODEL and -DMODEL_CAPS; data.h comes from the host.
#include <cstdint>

#include "../cli/model.hpp"
#include "data.h"
#include "startup.hpp"

namespace {

constexpr std::uint32_t kPaint = 0xa5a5a5a5;
constexpr std::uint32_t kPainted = 16384 / 4;  // words

alignas(CAPS(_ARENA_ALIGN)) std::uint8_t arena[CAPS(_ARENA_BYTES) + 1];
float result[kOutputs];

// Where the stack of a function called here begins.
__attribute__((noinline)) std::uint32_t* stack_pointer() {
  std::uint32_t* sp;
  asm volatile("mov %0, sp" : "=r"(sp));
  return sp;
}

__attribute__((noinline)) int run() {
  const NAME(_inputs) in = {kInput};
  const NAME(_outputs) out = {result};
  return NAME(_run)(&in, &out, arena);
}

}  // namespace

extern "C" int app_main() {
  volatile std::uint32_t* const top = stack_pointer() - 16;  // room for the loops below
  for (std::uint32_t i = 1; i <= kPainted; ++i) top[-static_cast<std::int32_t>(i)] = kPaint;
  if (run() != CAPS(_OK)) return 1;
  std::uint32_t deepest = kPainted;
  while (deepest > 0 && top[-static_cast<std::int32_t>(deepest)] == kPaint) --deepest;
  char text[] = "used 00000 bytes\n";
  for (std::uint32_t left = deepest * 4, at = 9; at >= 5; --at, left /= 10)
    text[at] = static_cast<char>('0' + left % 10);
  print(text);
  return deepest * 4 <= CAPS(_STACK_BYTES) && deepest > 0 ? 0 : 2;
}

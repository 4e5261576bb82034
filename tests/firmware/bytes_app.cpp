// bytes_app.cpp - runs a model of bytes on inputs of a generator, and prints a number that every
// byte of its outputs changes: on a host and on boards of bytes_board.hpp, where also cycles and
// stack may be known. Compiled with the flags that model_flags of check.sh prints, and
// -DINPUT_SIZE, -DOUTPUT_SIZE and -DRUNS.
#include "bytes_board.hpp"

#include <stdint.h>

#include "../cli/model.hpp"

namespace {

void print(const char* text) {
  while (*text != 0) put(*text++);
}
void print_result(const char* name, uint32_t value) {
  char digits[11] = {};
  char* p = digits + 10;
  do {
    *--p = static_cast<char>('0' + value % 10);
    value /= 10;
  } while (value != 0);
  print(name);
  print(p);
  put('\n');
}

alignas(CAPS(_ARENA_ALIGN)) uint8_t arena[CAPS(_ARENA_BYTES) + 1];
int8_t input[INPUT_SIZE], output[OUTPUT_SIZE];

// A number that every byte of every output changes.
uint32_t hash_of_outputs() {
  uint32_t state = 1, hash = 2166136261u;
  for (uint16_t run = 0; run < RUNS; ++run) {
    for (int8_t& x : input) {
      state = state * 1664525u + 1013904223u;
      x = static_cast<int8_t>(INPUT_SIZE == 1 ? run : state >> 24);
    }
    const NAME(_inputs) in = {input};
    const NAME(_outputs) out = {output};
    if (NAME(_run)(&in, &out, arena) != CAPS(_OK)) return 0;
    for (const int8_t y : output) hash = (hash ^ static_cast<uint8_t>(y)) * 16777619u;
  }
  return hash;
}

}  // namespace

int main() {
  start_board();
  print_result("outputs ", hash_of_outputs());
  const NAME(_inputs) in = {input};
  const NAME(_outputs) out = {output};
  const uint16_t before = ticks();
  NAME(_run)(&in, &out, arena);
  const uint32_t cycles = cycles_since(before);
  if (cycles > 0) print_result("cycles ", cycles);
  if (stack_depth() > 0) print_result("stack ", stack_depth());
  stop_board();
}

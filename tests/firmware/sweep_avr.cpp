// sweep_avr.cpp - runs the sweep's model on an AVR, inputs from flash, and prints its outputs, one
// after the other: lines of hexadecimal digits. Needs the sizes of outputs, which sweep.py writes.
#include <avr/pgmspace.h>
#include <stdint.h>

#include "bytes_board.hpp"
#include "sweep.h"

// As PROGMEM, which clang does not know.
#define SWEEP_DATA __attribute__((section(".progmem.data"))) const char
#include "sweep_data.h"

namespace {

#define SWEEP_INPUT(name, data) alignas(8) char name[sizeof data];
SWEEP_INPUTS(SWEEP_INPUT)
#define SWEEP_OUTPUT(name, bytes) alignas(8) unsigned char name[bytes];
SWEEP_OUTPUTS(SWEEP_OUTPUT)

alignas(SWEEP_ARENA_ALIGN) unsigned char arena[SWEEP_ARENA_BYTES + 1];

// Whether the model reports success and keeps to its arena.
bool run_model() {
  for (unsigned char& byte : arena) byte = 0xa5;
  sweep_inputs in = {};
  sweep_outputs out = {};
#define SWEEP_COPY(name, data)           \
  memcpy_P(::name, ::data, sizeof data); \
  in.name = reinterpret_cast<decltype(in.name)>(::name);
  SWEEP_INPUTS(SWEEP_COPY)
#define SWEEP_POINT(name, bytes) out.name = reinterpret_cast<decltype(out.name)>(::name);
  SWEEP_OUTPUTS(SWEEP_POINT)
  return sweep_run(&in, &out, arena) == SWEEP_OK && arena[SWEEP_ARENA_BYTES] == 0xa5;
}

void print_digit(uint8_t value) {
  put(static_cast<char>(value < 10 ? '0' + value : 'a' + (value - 10)));
}

void print_bytes(const unsigned char* bytes, uint16_t count) {
  constexpr uint16_t per_line = 32;
  for (uint16_t i = 0; i < count; ++i) {
    if (i % per_line == 0) put('=');
    print_digit(bytes[i] >> 4);
    print_digit(bytes[i] & 15);
    if (i % per_line == per_line - 1 || i == count - 1) put('\n');
  }
}

}  // namespace

int main() {
  start_board();
  if (run_model()) {
#define SWEEP_PRINT(name, bytes) print_bytes(::name, bytes);
    SWEEP_OUTPUTS(SWEEP_PRINT)
  }
  stop_board();
}

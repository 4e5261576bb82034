// bytes_board.hpp - what bytes_app.cpp needs of a board: an AVR in simavr, the core of an ESP8266
// and a Cortex-M in QEMU, and whatever has an operating system.
#pragma once

#include <stdint.h>

#if defined(__AVR__)
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

extern "C" uint8_t _end;

constexpr uint8_t kPaint = 0xa5;

inline void put(char c) {
  while ((UCSR0A & _BV(UDRE0)) == 0) {
  }
  UDR0 = static_cast<uint8_t>(c);
}

inline void start_board() {
  UCSR0B = _BV(TXEN0);
  TCCR1B = _BV(CS12);  // a tick is 256 cycles
  // What is below the stack has a colour until the stack comes there.
  uint8_t* const top = reinterpret_cast<uint8_t*>(SP) - 16;
  for (uint8_t* p = &_end; p < top; ++p) *p = kPaint;
}

// Of fewer than 2^24 cycles.
inline uint16_t ticks() { return TCNT1; }
inline uint32_t cycles_since(uint16_t start) {
  return uint32_t{256} * static_cast<uint16_t>(TCNT1 - start);
}

inline uint32_t stack_depth() {
  const uint8_t* p = &_end;
  while (*p == kPaint) ++p;
  return static_cast<uint32_t>(reinterpret_cast<const uint8_t*>(RAMEND) + 1 - p);
}

[[noreturn]] inline void stop_board() {
  cli();
  // Without interrupts the simulator ends.
  for (;;) sleep_mode();
}

#elif defined(__XTENSA__)
// Calls of the simulator: number, then arguments.
inline int32_t call_simulator(int32_t number, int32_t first, const void* second, int32_t third) {
  register int32_t a2 asm("a2") = number;
  register int32_t a3 asm("a3") = first;
  register const void* a4 asm("a4") = second;
  register int32_t a5 asm("a5") = third;
  asm volatile("simcall" : "+r"(a2), "+r"(a3) : "r"(a4), "r"(a5) : "memory");
  return a2;
}

inline void put(char c) { call_simulator(4, 1, &c, 1); }
inline void start_board() {}
inline uint16_t ticks() { return 0; }
inline uint32_t cycles_since(uint16_t) { return 0; }
inline uint32_t stack_depth() { return 0; }
[[noreturn]] inline void stop_board() {
  for (;;) call_simulator(1, 0, nullptr, 0);
}

// What a reset runs.
asm(".section .reset, \"ax\"\n"
    ".global _start\n"
    "_start:\n"
    "j 1f\n"
    ".align 4\n"
    ".literal_position\n"
    "1:\n"
    "movi a1, stack_top\n"
    "movi a2, main\n"
    "callx0 a2\n"
    ".text");

#elif defined(__arm__)
#include "startup.hpp"

inline void put(char c) {
  const char text[] = {c, 0};
  print(text);
}
inline void start_board() {}
inline uint16_t ticks() { return 0; }
inline uint32_t cycles_since(uint16_t) { return 0; }
inline uint32_t stack_depth() { return 0; }
[[noreturn]] inline void stop_board() { finish(0); }

int main();
extern "C" int app_main() { return main(); }

#else
#include <stdio.h>
#include <stdlib.h>

inline void put(char c) { putchar(c); }
inline void start_board() {}
inline uint16_t ticks() { return 0; }
inline uint32_t cycles_since(uint16_t) { return 0; }
inline uint32_t stack_depth() { return 0; }
[[noreturn]] inline void stop_board() { exit(0); }
#endif

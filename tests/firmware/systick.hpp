// systick.hpp - the timer of a Cortex-M, which counts the processor's clock. QEMU's -icount ties it
// to instructions. It wraps after 2^24 ticks.
#pragma once

#include <cstdint>

namespace systick {

struct Timer {
  std::uint32_t control, reload, now;
};
constexpr std::uint32_t kMost = 0xffffff;

inline volatile Timer& timer() { return *reinterpret_cast<volatile Timer*>(0xE000E010u); }

inline void start() {
  timer().reload = timer().now = kMost;
  timer().control = 5;  // on, the processor's clock
}

// Ticks since the start.
inline std::uint32_t ticks() { return kMost - timer().now; }
inline std::uint32_t since(std::uint32_t before) { return (ticks() - before) & kMost; }

// The same up to twice the timer's range, for one caller that asks after each step: the timer says
// once whether it has wrapped.
inline std::uint32_t since_last(std::uint32_t before) {
  const std::uint32_t now = ticks();
  const bool wrapped = (timer().control >> 16 & 1) != 0;
  return ((now - before) & kMost) + (wrapped && now >= before ? kMost + 1 : 0);
}

// What makes ticks of any clock instructions.
inline std::uint32_t of_two_million_instructions() {
  const std::uint32_t begin = ticks();
  std::uint32_t left = 1000000;
  asm volatile(".syntax unified\n1: subs %0, #1\n bne 1b" : "+l"(left) : : "cc");
  return since(begin);
}

}  // namespace systick

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

}  // namespace systick

// allocator.hpp - the allocator that drivers pass to generated code: it counts calls, and fails one
// on demand.
#pragma once

#include <atomic>
#include <cstdlib>

namespace harness {

// Devices allocate from threads of their own.
struct Allocations {
  std::atomic<long> calls{0}, alive{0};
  long fail_at = -1;  // the call, counted from 0, that fails; -1: none
};

inline Allocations& allocations() {
  static Allocations a;
  return a;
}

inline void* take(void*, std::size_t bytes) {
  Allocations& a = allocations();
  if (a.calls++ == a.fail_at) return nullptr;
  void* const memory = std::malloc(bytes);
  a.alive += memory != nullptr;
  return memory;
}

inline void give(void*, void* memory) {
  allocations().alive -= memory != nullptr;
  std::free(memory);
}

}  // namespace harness

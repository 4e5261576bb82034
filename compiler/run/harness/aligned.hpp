// aligned.hpp - aligned memory of exactly the requested size, from the C library of the system.
#pragma once

#include <cstdlib>

#ifdef _WIN32
#include <malloc.h>
#endif

namespace harness {

// Null without memory.
inline void* take_aligned(std::size_t bytes, std::size_t align) {
  void* p = nullptr;
  if (align < sizeof p) align = sizeof p;
  if (bytes == 0) bytes = 1;
#ifdef _WIN32
  p = _aligned_malloc(bytes, align);
#else
  if (posix_memalign(&p, align, bytes) != 0) p = nullptr;
#endif
  return p;
}

inline void give_aligned(void* p) {
#ifdef _WIN32
  _aligned_free(p);
#else
  std::free(p);
#endif
}

}  // namespace harness

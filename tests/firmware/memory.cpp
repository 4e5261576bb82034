// memory.cpp - the three functions of libc that compilers call by themselves. Compiled with
// -fno-tree-loop-distribute-patterns, or they would call themselves.
#include <cstddef>

extern "C" {

void* memcpy(void* to, const void* from, std::size_t n) {
  auto* t = static_cast<unsigned char*>(to);
  const auto* f = static_cast<const unsigned char*>(from);
  while (n-- > 0) *t++ = *f++;
  return to;
}

void* memset(void* to, int value, std::size_t n) {
  auto* t = static_cast<unsigned char*>(to);
  while (n-- > 0) *t++ = static_cast<unsigned char>(value);
  return to;
}

void* memmove(void* to, const void* from, std::size_t n) {
  auto* t = static_cast<unsigned char*>(to);
  const auto* f = static_cast<const unsigned char*>(from);
  if (t < f) return memcpy(to, from, n);
  while (n-- > 0) t[n] = f[n];
  return to;
}
}

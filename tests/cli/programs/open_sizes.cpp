// What an allocator provides is what the figures say.
#include <cstdio>
#include <cstdlib>

#include "open/dense.h"

static size_t now, most;
static void* take(void*, size_t bytes) {
  now += bytes;
  if (now > most) most = now;
  size_t* const block = static_cast<size_t*>(aligned_alloc(64, (bytes + 127) / 64 * 64));
  *block = bytes;
  return reinterpret_cast<char*>(block) + 64;
}
static void release(void*, void* memory) {
  size_t* const block = reinterpret_cast<size_t*>(static_cast<char*>(memory) - 64);
  now -= *block;
  free(block);
}

int main() {
  static float x[5 * 1000], y[5 * 4];
  const dense_allocator memory = {take, release, nullptr};
  const dense_inputs in = {x, {5, 1000}, &memory, nullptr};
  const dense_outputs out = {y, 20, nullptr};
  if (dense_run(&in, &out, nullptr) != DENSE_OK) return 1;
  std::printf("%zu\n", most);
  return most >= 5 * 4096 && most < 5 * 4096 + 512 ? 0 : 2;
}

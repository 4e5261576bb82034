// A plugin that has a model of its own inside.
#include "net.h"

// An inline function that has to be this library's own.
extern "C" int plugin(const float* x, float* y) {
  alignas(NET_ARENA_ALIGN) static unsigned char arena[NET_ARENA_BYTES + 1];
  const auto& in = *reinterpret_cast<const float(*)[1024]>(x);
  auto& out = *reinterpret_cast<float(*)[1000]>(y);
  return net::run(in, out, arena);
}

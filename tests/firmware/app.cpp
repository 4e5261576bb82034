// app.cpp - runs the model on the inputs that the host ran it on, and compares with its outputs.
// Compiled with -DMODEL_HEADER, -DMODEL (the prefix) and -DMODEL_CAPS; data.h comes from the host.
#include <cstdint>

#include "../cli/model.hpp"
#include "data.h"
#include "startup.hpp"

namespace {

alignas(CAPS(_ARENA_ALIGN)) std::uint8_t arena[CAPS(_ARENA_BYTES) + 1];
float result[kOutputs];

float magnitude(float x) { return x < 0 ? -x : x; }

}  // namespace

extern "C" int app_main() {
  for (std::uint8_t& byte : arena) byte = 0xa5;
  const NAME(_inputs) in = {kInput};
  const NAME(_outputs) out = {result};
  if (NAME(_run)(&in, &out, arena) != CAPS(_OK)) {
    print("the model reports an error\n");
    return 1;
  }
  float largest = 0;
  for (float want : kWanted) largest = magnitude(want) > largest ? magnitude(want) : largest;
  for (int i = 0; i < kOutputs; ++i) {
    if (!(magnitude(result[i] - kWanted[i]) <= 1e-5f * largest)) {
      print("the result differs from the host's\n");
      return 2;
    }
  }
  print("equal\n");
  return 0;
}

// training_app.cpp - trains the model as the host did, and compares the states.
#include <cstdint>
#include <cstring>

#include "startup.hpp"
#include "state.h"
#include "training.hpp"

namespace {

float magnitude(float x) { return x < 0 ? -x : x; }

}  // namespace

extern "C" int app_main() {
  if (!train(kSteps)) {
    print("a step fails\n");
    return 1;
  }
  const unsigned char* at = state + FIRST_FLOAT;
  for (float want : kState) {
    float v;
    std::memcpy(&v, at, sizeof v);
    at += sizeof v;
    const float limit = 1e-4f * (magnitude(want) > 1.0f ? magnitude(want) : 1.0f);
    if (!(magnitude(v - want) <= limit)) {
      print("the state differs from the host's\n");
      return 2;
    }
  }
  print("equal\n");
  return 0;
}

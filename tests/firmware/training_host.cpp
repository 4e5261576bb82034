// training_host.cpp - trains the model on this machine and prints its state and last loss for the
// firmware.
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "training.hpp"

int main() {
  float loss = 0;
  if (!train(loss)) return 1;
  std::printf("#pragma once\nstatic const float kLoss = %.9ef;\n", static_cast<double>(loss));
  std::printf("static const float kState[] = {");
  for (unsigned at = FIRST_FLOAT; at < NET_STATE_BYTES; at += sizeof(float)) {
    float v;
    std::memcpy(&v, state + at, sizeof v);
    std::printf("%.9ef, ", static_cast<double>(v));
  }
  std::printf("};\n");
  return 0;
}

// host.cpp - runs the model on this machine and prints data.h for the firmware.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "../cli/model.hpp"

static void list(const char* name, const std::vector<float>& values) {
  std::printf("static const float %s[%zu] = {", name, values.size());
  for (float v : values) std::printf("%.9ef, ", static_cast<double>(v));
  std::printf("};\n");
}

int main() {
  std::vector<float> input(INPUT_SIZE), output(OUTPUT_SIZE);
  std::uint32_t state = 1;
  for (float& v : input) {
    state = state * 1664525u + 1013904223u;
    v = static_cast<float>(state >> 8) / 8388608.0f - 1.0f;
  }
  std::vector<unsigned char> memory(CAPS(_ARENA_BYTES) + 64);
  const auto start = (reinterpret_cast<std::uintptr_t>(memory.data()) + 63) / 64 * 64;
  const NAME(_inputs) in = {input.data()};
  const NAME(_outputs) out = {output.data()};
  if (NAME(_run)(&in, &out, reinterpret_cast<void*>(start)) != CAPS(_OK)) return 1;
  std::printf("#pragma once\nconstexpr int kOutputs = %zu;\n", output.size());
  list("kInput", input);
  list("kWanted", output);
  return 0;
}

// sweep_host.cpp - runs the sweep on this machine and prints sweep_wanted.h for the firmware:
// floats by their bits.
#include <cinttypes>
#include <cstdio>

#include "sweep.hpp"

namespace {

void print_value(float v) {
  std::uint32_t bits;
  std::memcpy(&bits, &v, sizeof bits);
  std::printf("0x%08" PRIx32 "u, ", bits);
}
template <class Integer>
void print_value(Integer v) {
  std::printf("%" PRId64 ", ", std::int64_t{v});
}

template <class T, std::size_t N>
void print_list(const char* name, const T (&values)[N]) {
  std::printf("static const %s %s[] = {", sizeof(T) == 4 ? "uint32_t" : "int64_t", name);
  for (T v : values) print_value(v);
  std::printf("};\n");
}

}  // namespace

int main() {
  if (!sweep::run()) return 1;
  std::printf("#pragma once\n#include <stdint.h>\n");
#define SWEEP_OUTPUT(name, type, count, rule) print_list("wanted_" #name, sweep::name);
  SWEEP_OUTPUTS(SWEEP_OUTPUT)
  return 0;
}

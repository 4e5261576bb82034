// selftest_app.cpp - runs the self test of a model and prints "pass" or what differs.
// Compiled with -DMODEL_HEADER, -DMODEL and -DMODEL_CAPS.
#include <cstdint>

#include "../cli/model.hpp"
#include "startup.hpp"

namespace {

alignas(CAPS(_ARENA_ALIGN)) std::uint8_t arena[CAPS(_ARENA_BYTES) + 1];
alignas(CAPS(_ARENA_ALIGN)) std::uint8_t memory[CAPS(_SELFTEST_BYTES) + 1];

}  // namespace

extern "C" int app_main() {
  NAME(_difference) difference = {};
  const int status = NAME(_selftest)(arena, memory, &difference);
  print(status == CAPS(_OK) ? "pass" : status == CAPS(_DIFFERS) ? difference.output : "error");
  return 0;
}

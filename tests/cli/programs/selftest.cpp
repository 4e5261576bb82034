// Runs a self test and prints what differs; with -DSTATUS its status is the exit code.
#include <cstdio>
#include <cstring>

#include "../model.hpp"

alignas(64) static unsigned char arena[CAPS(_ARENA_BYTES) + 1];
alignas(64) static unsigned char memory[CAPS(_SELFTEST_BYTES)];

int main() {
#ifdef STATUS
  return NAME(_selftest)(arena, memory, nullptr);
#endif
  NAME(_difference) d = {};
  const int status = NAME(_selftest)(arena, memory, &d);
  if (NAME(_selftest)(arena, memory, nullptr) != status) return 1;
  if (NAME(_selftest)(arena, memory + 1, &d) != CAPS(_BAD_ARGUMENT)) return 1;
  if (status == CAPS(_OK)) std::puts("pass");
  if (status == CAPS(_DIFFERS))
    std::printf("%s %u %g %g\n", d.output, d.element, static_cast<double>(d.got),
                static_cast<double>(d.want));
  return 0;
}

// sweep_run.cpp - runs the sweep's model and writes its outputs to a file, one after the other: on
// a bare core by semihosting.
#include <cstddef>
#include <cstdint>

#include "sweep.h"
#include "sweep_data.h"

#if defined(SWEEP_BARE)
#include "startup.hpp"
#else
#include <cstdio>
#endif

namespace {

#define SWEEP_OUTPUT(name, bytes) alignas(8) unsigned char name[bytes];
SWEEP_OUTPUTS(SWEEP_OUTPUT)
#undef SWEEP_OUTPUT

alignas(SWEEP_ARENA_ALIGN) unsigned char arena[SWEEP_ARENA_BYTES + 1];

template <class T>
void point(T*& member, unsigned char* bytes) {
  member = reinterpret_cast<T*>(bytes);
}
template <class T>
void point(const T*& member, const char* bytes) {
  member = reinterpret_cast<const T*>(bytes);
}

// Whether the model reports success.
bool run_model() {
  for (unsigned char& byte : arena) byte = 0xa5;
  sweep_inputs in = {};
  sweep_outputs out = {};
#define SWEEP_INPUT(name, data) point(in.name, data);
  SWEEP_INPUTS(SWEEP_INPUT)
#undef SWEEP_INPUT
#define SWEEP_OUTPUT(name, bytes) point(out.name, name);
  SWEEP_OUTPUTS(SWEEP_OUTPUT)
#undef SWEEP_OUTPUT
  return sweep_run(&in, &out, arena) == SWEEP_OK;
}

constexpr char kResults[] = "results.bin";

#if defined(SWEEP_BARE)
using File = int;
File open_results() { return open_file(kResults, sizeof kResults - 1); }
void put(File file, const unsigned char* bytes, std::size_t count) {
  write_file(file, bytes, count);
}
#else
using File = std::FILE*;
File open_results() { return std::fopen(kResults, "wb"); }
void put(File file, const unsigned char* bytes, std::size_t count) {
  std::fwrite(bytes, 1, count, file);
}
#endif

int sweep_main() {
  if (!run_model() || arena[SWEEP_ARENA_BYTES] != 0xa5) return 1;
  const File file = open_results();
#define SWEEP_OUTPUT(name, bytes) put(file, name, bytes);
  SWEEP_OUTPUTS(SWEEP_OUTPUT)
#undef SWEEP_OUTPUT
#if !defined(SWEEP_BARE)
  return std::fclose(file);
#else
  return 0;
#endif
}

}  // namespace

#if defined(SWEEP_BARE)
extern "C" int app_main() { return sweep_main(); }
#else
int main() { return sweep_main(); }
#endif

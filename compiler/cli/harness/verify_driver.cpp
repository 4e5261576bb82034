// verify_driver.cpp - verify_driver UNIT INPUTS RESULT: runs one generated function once.
#include <chrono>

#include "memory.hpp"

int main(int argc, char** argv) {
  if (argc != 4) harness::fail("three arguments");
  const onnxc_unit& unit = *onnxc_units[std::atoi(argv[1])];
  harness::Buffers buffers(unit);
  buffers.read_inputs(unit, argv[2]);
  const auto start = std::chrono::steady_clock::now();
  const int status = unit.run(buffers.in.data(), buffers.out.data(), buffers.arena);
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;

  std::FILE* file = std::fopen(argv[3], "wb");
  if (file == nullptr) harness::fail("cannot write the result");
  const double header[2] = {static_cast<double>(status), time.count()};
  bool good = std::fwrite(header, sizeof header, 1, file) == 1;
  for (std::size_t i = 0; i < unit.outputs; ++i) {
    const std::size_t n = unit.output_bytes[i];
    good = good && std::fwrite(buffers.out[i], 1, n, file) == n;
  }
  if (std::fclose(file) != 0 || !good) harness::fail("cannot write the result");
  return 0;
}

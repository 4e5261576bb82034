// probe_driver.cpp - probe_driver INPUTS RESULT: runs one generated function and writes the tensors
// that it hands out, in the order in which it does.
#include "probe.hpp"

#include "memory.hpp"

int main(int argc, char** argv) {
  if (argc != 3) harness::fail("two arguments");
  harness::Buffers buffers(*onnxc_units[0]);
  buffers.read_inputs(argv[1]);
  if (const int status = buffers.run_until_fits(); status != 0) harness::fail_with_status(status);
  harness::probe_file() = std::fopen(argv[2], "wb");
  if (harness::probe_file() == nullptr) harness::fail("cannot write the result");
  if (const int status = buffers.run_again(); status != 0) harness::fail_with_status(status);
  return std::fclose(harness::probe_file()) == 0 ? 0 : 99;
}

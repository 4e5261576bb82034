// verify_driver.cpp - verify_driver UNIT INPUTS RESULT [FAULTS]: runs one generated function, then
// again FAULTS times at most with an allocator that fails at another call each time.
#include <chrono>

#include "allocator.hpp"
#include "memory.hpp"

namespace {

bool put(std::FILE* file, const void* data, std::size_t bytes) {
  return std::fwrite(data, 1, bytes, file) == bytes;
}
bool put_count(std::FILE* file, std::uint64_t n) { return put(file, &n, sizeof n); }

// In the form of the inputs.
bool write_value(std::FILE* file, const onnxc_value& v) {
  bool good = put_count(file, v.kind);
  if (v.kind == onnxc_value::list || v.kind == onnxc_value::map) {
    good = good && put_count(file, v.count);
    for (std::size_t i = 0; i < v.count; ++i) good = good && write_value(file, v.items[i]);
  } else if (v.kind == onnxc_value::tensor) {
    good = good && put_count(file, v.rank) && put(file, v.dims, v.rank * sizeof *v.dims);
    good = good && put_count(file, v.bytes) && put(file, v.data, v.bytes);
  }
  return good;
}

// Every allocation of a run fails once, spread evenly when there are more than `most`.
void fail_allocations(harness::Buffers& buffers, long most) {
  harness::Allocations& a = harness::allocations();
  a.calls = 0;
  if (buffers.run_again() != 0) harness::fail("a second run does not end well");
  const long calls = a.calls, step = calls > most ? (calls + most - 1) / most : 1;
  for (long k = 0; k < calls; k += step) {
    a.calls = 0;
    a.fail_at = k;
    if (buffers.run_again() != onnxc_out_of_memory)
      harness::fail("a failed allocation is not reported as such");
    if (a.alive != 0) harness::fail("a failed allocation loses memory");
  }
  a.fail_at = -1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4 && argc != 5) harness::fail("three or four arguments");
  const onnxc_unit& unit = *onnxc_units[std::atoi(argv[1])];
  harness::Buffers buffers(unit);
  buffers.read_inputs(argv[2]);
  const auto start = std::chrono::steady_clock::now();
  const int status = buffers.run_until_fits();
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;

  if (harness::allocations().alive != 0) harness::fail("memory is not given back");

  std::FILE* file = std::fopen(argv[3], "wb");
  if (file == nullptr) harness::fail("cannot write the result");
  const double header[2] = {static_cast<double>(status), time.count()};
  bool good = put(file, header, sizeof header);
  if (status == 0)
    for (const onnxc_value& v : buffers.outputs()) good = good && write_value(file, v);
  if (std::fclose(file) != 0 || !good) harness::fail("cannot write the result");
  if (status == 0 && argc == 5) fail_allocations(buffers, std::atol(argv[4]));
  return 0;
}

// Runs a fuzz target on models without libFuzzer: standalone SECONDS SEED MODEL... Each execution
// has a process of its own. Findings are written to finding_N.onnx in the current folder.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "tests/fuzz/model_mutator.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes read(const char* path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

Bytes mutated(Bytes model, std::mt19937& chance) {
  const std::size_t old = model.size();
  model.resize(old + 4096);
  std::size_t size = old;
  for (unsigned i = 0; i <= chance() % 4; ++i)
    size = onnxc::mutate_model(model.data(), size, model.size(), static_cast<unsigned>(chance()));
  model.resize(size);
  return model;
}

// The wait status of the target on these bytes.
int execute(const Bytes& model, std::uint8_t options) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit seconds{20, 20}, bytes{rlim_t{2} << 30, rlim_t{2} << 30}, none{0, 0};
    setrlimit(RLIMIT_CPU, &seconds);
    setrlimit(RLIMIT_DATA, &bytes);
    setrlimit(RLIMIT_CORE, &none);
    Bytes input = {options};
    input.insert(input.end(), model.begin(), model.end());
    LLVMFuzzerTestOneInput(input.data(), input.size());
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  using Clock = std::chrono::steady_clock;
  if (argc < 4) return 2;
  const auto end = Clock::now() + std::chrono::seconds(std::atoi(argv[1]));
  std::mt19937 chance(static_cast<unsigned>(std::atoi(argv[2])));
  std::vector<Bytes> models;
  for (int i = 3; i < argc; ++i) models.push_back(read(argv[i]));
  long runs = 0, findings = 0;
  for (; Clock::now() < end; ++runs) {
    const Bytes model = mutated(models[chance() % models.size()], chance);
    const int status = execute(model, static_cast<std::uint8_t>(chance()));
    if (status == 0) continue;
    const std::string name = fmt::format("finding_{}.onnx", findings++);
    std::ofstream(name, std::ios::binary)
        .write(reinterpret_cast<const char*>(model.data()),
               static_cast<std::streamsize>(model.size()));
    fmt::print("{}: {} {}\n", name, WIFSIGNALED(status) ? "signal" : "exit",
               WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
  }
  fmt::print("{} executions, {} findings\n", runs, findings);
  return findings != 0;
}

// Compiles many models in one program and prints, for each, digests of the generated files and the
// diagnostics, one of each TARGET:THREADS: outputs LIST TARGET:THREADS..., where LIST names a model
// in each line.
// Each model has a process of its own, so that a crash or an endless loop costs only that one; its
// number comes first.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <span>
#include <string>

#include "compiler/session/session.hpp"
#include "compiler/support/hash.hpp"

namespace {

constexpr rlim_t kSeconds = 20, kBytes = rlim_t{2} << 30;

std::string digest(const std::string& model, const std::string& target_and_threads) {
  using namespace onnxc;
  const std::size_t colon = target_and_threads.find(':');
  CompileOptions options;
  options.model = model;
  options.output_base = "m";
  options.target = target_and_threads.substr(0, colon);
  options.threads = std::stoi(target_and_threads.substr(colon + 1));
  Diagnostics diagnostics;
  std::string text;
  try {
    for (const GeneratedFile& file : compile(options, diagnostics).files)
      text += file.path + '\n' + file.content;
  } catch (const std::exception& e) {
    text += e.what();
  }
  for (const Diagnostic& d : diagnostics.all()) text += diagnostics.format(d, "m") + '\n';
  return sha256(std::as_bytes(std::span(text)));
}

void limit(__rlimit_resource_t resource, rlim_t value) {
  const rlimit both{value, value};
  setrlimit(resource, &both);
}

void print_digests(const std::string& model, std::span<char*> targets) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    limit(RLIMIT_CPU, kSeconds);
    limit(RLIMIT_DATA, kBytes);
    limit(RLIMIT_CORE, 0);
    fmt::print("{} ", getpid());
    for (const char* target : targets) fmt::print("{} ", digest(model, target));
    fmt::print("{}", model);
    std::fflush(stdout);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) {
    fmt::print("{} ", child);
    for (std::size_t i = 0; i < targets.size(); ++i) fmt::print("crash ");
    fmt::print("{}", model);
  }
  fmt::print("\n");  // only now has the child left what it entered
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::span<char*> targets(argv + 2, argv + argc);
  std::ifstream list(argv[1]);
  for (std::string model; std::getline(list, model);) print_digests(model, targets);
  return 0;
}

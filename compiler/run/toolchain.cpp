// Runs the C++ compiler and the linker.
#include "compiler/run/toolchain.hpp"

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "compiler/support/words.hpp"

namespace onnxc {
namespace {

constexpr double kCompileTimeout = 1800, kLinkTimeout = 600;  // seconds

std::string environment(const char* name, const std::string& fallback) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : fallback;
}

void append(std::vector<std::string>& to, const std::vector<std::string>& words) {
  to.insert(to.end(), words.begin(), words.end());
}

}  // namespace

Toolchain::Toolchain(const std::string& target_flags, const std::string& fallback) {
  command_ = split_words(environment("CXX", "g++"));
  if (command_.empty()) command_ = {"g++"};
  command_.insert(command_.end(), {"-std=c++17", "-pipe"});
  append(command_, split_words(target_flags));
  append(command_, split_words(environment("CXXFLAGS", fallback)));
}

ProcessResult Toolchain::compile(const std::string& source, const std::string& object,
                                 const std::vector<std::string>& extra) const {
  std::vector<std::string> command = command_;
  append(command, extra);
  append(command,
         {"-I" + std::filesystem::path(source).parent_path().string(), "-c", source, "-o", object});
  return run_process(command, kCompileTimeout);
}

bool Toolchain::precompile(const std::string& header) const {
  std::vector<std::string> command = command_;
  append(command, {"-x", "c++-header", header, "-o", header + ".gch"});
  return run_process(command, kCompileTimeout).ok();
}

ProcessResult Toolchain::link(const std::vector<std::string>& objects,
                              const std::string& program) const {
  std::vector<std::string> command = command_;
  append(command, objects);
  append(command, split_words(environment("LDFLAGS", "")));
  append(command, {"-pthread", "-o", program});
  return run_process(command, kLinkTimeout);
}

std::string first_error_line(const std::string& output) {
  std::istringstream lines(output);
  std::string line, first;
  while (std::getline(lines, line)) {
    if (first.empty()) first = line;
    if (line.find("error:") != std::string::npos ||
        line.find("undefined reference") != std::string::npos) {
      return line;
    }
  }
  return first;
}

}  // namespace onnxc

// The C++ compiler for verify and bench: $CXX and $CXXFLAGS.
#pragma once

#include <string>
#include <vector>

#include "compiler/run/process.hpp"

namespace onnxc {

class Toolchain {
 public:
  // `fallback` are the flags used when $CXXFLAGS is not set; `target_flags` come before either.
  Toolchain(const std::string& target_flags, const std::string& fallback);

  // Compiles one source file to an object file. `extra` goes before the file name.
  ProcessResult compile(const std::string& source, const std::string& object,
                        const std::vector<std::string>& extra = {}) const;
  // Makes `header`.gch, which the compiler then uses in place of `-include header`.
  bool precompile(const std::string& header) const;
  ProcessResult link(const std::vector<std::string>& objects, const std::string& program) const;

 private:
  std::vector<std::string> command_;  // the compiler and its flags
};

// The most useful line of a compiler's output: the first error, else the first line.
std::string first_error_line(const std::string& output);

}  // namespace onnxc

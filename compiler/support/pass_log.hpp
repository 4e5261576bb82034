// What is recorded of each pass over a Graph or a Program: a dump, the time, and whether it is left
// out to find the pass that breaks a model.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "compiler/support/options.hpp"

namespace onnxc {

class PassLog {
 public:
  // `number`: of the first pass. Programs continue the numbers of graphs.
  PassLog(const CompileOptions& options, std::size_t number) : options_(options), number_(number) {}

  // Whether an optional pass is left out now: --plain, or --passes-until.
  bool skips_optional() const;
  void skip() { ++number_; }

  void start() { begin_ = std::chrono::steady_clock::now(); }
  // With --verbose prints the time since start(); with --dump-ir writes text() to a file
  // NN_pass.EXTENSION. Throws FatalError(io).
  template <class Text>
  void finish(const char* pass, const char* extension, Text text) {
    if (options_.verbosity > 0) print_time(pass);
    if (!options_.dump_ir.empty()) write(pass, extension, text());
    ++number_;
  }

 private:
  void print_time(const char* pass) const;
  void write(const char* pass, const char* extension, const std::string& text) const;

  const CompileOptions& options_;
  std::size_t number_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace onnxc

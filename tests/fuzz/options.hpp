// Options that one byte of the input sets, so that one corpus compiles in many ways.
#pragma once

#include <cstdint>
#include <string>

#include "compiler/support/options.hpp"

namespace onnxc {

inline CompileOptions options_from(std::uint8_t byte, const std::string& model) {
  static const char* const kTargets[] = {"generic",       "x86-64-v3", "cortex-m4f", "cortex-m55",
                                         "cortex-m0plus", "aarch64",   "avr",        "generic"};
  CompileOptions options;
  options.model = model;
  options.optimize_size = byte & 1;
  options.strict_fp = byte & 2;
  options.threads = byte & 4 ? 2 : 1;
  options.trees_as_code = byte & 8;
  options.no_heap = byte & 16;
  options.target = kTargets[byte >> 5];
  return options;
}

}  // namespace onnxc

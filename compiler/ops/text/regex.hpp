// Regular expressions in the syntax of RE2, as programs for templates/text/regex_full_match.hpp.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace onnxc::ops {

// An error in a pattern, or a part of RE2 that is not supported.
struct RegexError : std::runtime_error {
  RegexError(const std::string& message, bool not_done)
      : std::runtime_error(message), unsupported(not_done) {}
  bool unsupported;
};

struct RegexProgram {
  std::int32_t steps = 0;           // instructions
  std::vector<std::int32_t> words;  // three for each, then the ranges of the sets
};

RegexProgram compile_regex(std::string_view pattern);

}  // namespace onnxc::ops

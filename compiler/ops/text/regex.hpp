// Regular expressions as programs for templates/text/regex_full_match.hpp and regex_find.hpp.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace onnxc::ops {

// An error in a pattern, or a part of the syntax that is not supported.
struct RegexError : std::runtime_error {
  RegexError(const std::string& message, bool not_done)
      : std::runtime_error(message), unsupported(not_done) {}
  bool unsupported;
};

struct RegexProgram {
  std::int32_t steps = 0;           // instructions
  std::vector<std::int32_t> words;  // three for each, then the sets
  bool may_be_empty = false;        // whether a match may have no characters
};

enum class RegexSyntax : std::uint8_t {
  re2,        // \d \s \w are ASCII
  oniguruma,  // they are Unicode; looks at one character ahead or back
};

// How many numbers of scratch memory templates/text/regex_find.hpp needs.
std::int64_t search_numbers(const RegexProgram& program);

RegexProgram compile_regex(std::string_view pattern, RegexSyntax syntax = RegexSyntax::re2);

// The words of GPT-2's pre-tokenizer.
inline constexpr std::string_view kGpt2Words =
    "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";

}  // namespace onnxc::ops

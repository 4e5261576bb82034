// A pattern and a text, divided by the first zero byte: compilation of the pattern and the match.
#include <algorithm>
#include <string_view>
#include <vector>

#include "compiler/ops/text/regex.hpp"
#include "templates/text/regex_full_match.hpp"

namespace {
struct Shape {
  onnxc::Index count, steps;
};
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace onnxc;
  const std::uint8_t* const zero = std::find(data, data + size, 0);
  const std::string_view pattern(reinterpret_cast<const char*>(data),
                                 static_cast<std::size_t>(zero - data));
  ops::RegexProgram program;
  try {
    program = ops::compile_regex(pattern);
  } catch (const ops::RegexError&) {
    return 0;
  }
  const std::vector<char> subject(zero == data + size ? zero : zero + 1, data + size);
  const Text text{subject.data(), static_cast<Index>(subject.size())};
  std::vector<std::int64_t> work(static_cast<std::size_t>(4 * program.steps));
  bool matches = false;
  regex_full_match(Shape{1, program.steps}, &text, program.words.data(), &matches, work.data());
  return 0;
}

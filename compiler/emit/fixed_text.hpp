// Fixed text of generated files, from files that are embedded in the compiler:
// compiler/*/text/*.in.
#pragma once

#include <concepts>
#include <map>
#include <string>
#include <string_view>

#include "compiler/interface/sanitized_text.hpp"

namespace onnxc {

// What stands for a placeholder: sanitized text of a model, a number, or code of the emitter.
class TextValue {
 public:
  TextValue(const SafeText& text) : text_(text.text()) {}
  TextValue(std::integral auto number) : text_(std::to_string(number)) {}
  static TextValue code(std::string code) { return TextValue(std::move(code)); }

  const std::string& text() const { return text_; }

 private:
  explicit TextValue(std::string text) : text_(std::move(text)) {}

  std::string text_;
};
using TextValues = std::map<std::string, TextValue, std::less<>>;

// The embedded file with values in place of each @{name}; @{licence} and @{version} have theirs.
// Throws std::logic_error for a name without a value.
std::string fixed_text(std::string_view path, const TextValues& values);

}  // namespace onnxc

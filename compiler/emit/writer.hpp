// Text with indentation, wrapped at 100 columns, for generated C++.
#pragma once

#include <fmt/format.h>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "compiler/emit/code_format.hpp"

namespace onnxc {

// Wraps one statement, declaration or comment; its own leading blanks count as indentation. A
// trailing comment that does not fit moves above the code. Breaks are at blanks, never in a
// literal; a directive and a name without a blank are not wrapped.
std::vector<std::string> wrap_line(std::string_view line, std::size_t width);

class CodeWriter {
 public:
  // Fields in comments and string literals accept only text that is safe there, see CodeFormat.
  template <class... A>
  void line(CodeFormat<std::type_identity_t<A>...> text, A&&... args) {
    raw_line(fmt::format(text.get(), std::forward<A>(args)...));
  }
  void raw_line(std::string_view text);  // wrapped at 100 columns
  void raw(std::string_view text) { text_ += text; }
  // Pieces separated by blanks, wrapped at 100 columns; later lines are indented by `hanging`.
  void wrapped(const std::vector<std::string>& pieces, std::size_t hanging = 0);
  void open(std::string_view text);  // "struct X {", and indent
  void close(std::string_view text = "}");
  void indent() { ++indent_; }
  void outdent() { --indent_; }
  const std::string& text() const { return text_; }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  int indent_ = 0;
};

// Literals that read back to exactly the same value.
std::string float_literal(float value);  // 0.1f, -kInfinity
std::string double_literal(double value);

}  // namespace onnxc

// Text with indentation, for generated C++.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/dim.hpp"

namespace onnxc {

class CodeWriter {
 public:
  template <class... A>
  void line(fmt::format_string<A...> text, A&&... args) {
    raw_line(fmt::format(text, std::forward<A>(args)...));
  }
  void raw_line(std::string_view text);  // one line, or an empty one
  void raw(std::string_view text) { text_ += text; }
  // Pieces separated by blanks, wrapped at 100 columns; lines after the first hang by `hanging`.
  void wrapped(const std::vector<std::string>& pieces, std::size_t hanging = 0);
  void open(std::string_view text);  // "struct X {", and indent
  void close(std::string_view text = "}");
  void indent() { ++indent_; }
  const std::string& text() const { return text_; }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  int indent_ = 0;
};

// Literals that read back to exactly the same value.
std::string float_literal(float value);  // 0.1f, -kInfinity
std::string double_literal(double value);
// Text from a model inside a // comment: one line, printable ASCII.
std::string comment_text(std::string_view text);
// The same for text with shapes: sizes that have no name in the model appear under their name in
// the code, n1, n2, ...
std::string shape_comment(std::string text);
// A count of work, which may be an expression of sizes; long ones are cut.
std::string work_comment(const Dim& count);

}  // namespace onnxc

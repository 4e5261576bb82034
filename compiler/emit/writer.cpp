#include "compiler/emit/writer.hpp"

#include <cmath>

namespace onnxc {

void CodeWriter::raw_line(std::string_view text) {
  if (!text.empty()) text_.append(static_cast<std::size_t>(indent_) * 2, ' ');
  text_ += text;
  text_ += '\n';
}

void CodeWriter::wrapped(const std::vector<std::string>& pieces, std::size_t hanging) {
  constexpr std::size_t kWidth = 100;
  const std::size_t room = kWidth - static_cast<std::size_t>(indent_) * 2;
  std::string line;
  for (const std::string& piece : pieces) {
    const bool fits = line.size() + 1 + piece.size() <= room;
    if (!line.empty() && !fits) {
      raw_line(line);
      line.assign(hanging, ' ');
    } else if (!line.empty()) {
      line += ' ';
    }
    line += piece;
  }
  if (!line.empty()) raw_line(line);
}

void CodeWriter::open(std::string_view text) {
  raw_line(text);
  ++indent_;
}

void CodeWriter::close(std::string_view text) {
  --indent_;
  raw_line(text);
}

namespace {

template <class T>
std::string literal(T value, const char* suffix) {
  if (std::isnan(value)) return "kNaN";
  if (std::isinf(value)) return value < 0 ? "-kInfinity" : "kInfinity";
  std::string s = fmt::format("{}", value);
  if (s.find_first_of(".e") == std::string::npos) s += ".0";
  return s + suffix;
}

}  // namespace

std::string float_literal(float value) { return literal(value, "f"); }

std::string double_literal(double value) { return literal(value, ""); }

std::string comment_text(std::string_view text) {
  std::string s;
  for (const char c : text.substr(0, 120)) {
    // A backslash at the end of a line would continue the comment; ?? could start a trigraph.
    const bool safe = c >= 0x20 && c < 0x7f && c != '\\' && c != '?';
    s += safe ? c : '.';
  }
  if (text.size() > 120) s += "...";
  return s;
}

std::string shape_comment(std::string text) {
  for (std::size_t at; (at = text.find('?')) != std::string::npos;)
    text.replace(at, at + 1 < text.size() && text[at + 1] == '#' ? 2 : 1,
                 text[at + 1] == '#' ? "n" : "n1");
  return comment_text(text);
}

std::string work_comment(const Dim& count) {
  constexpr std::size_t kMost = 48;
  const std::string text = shape_comment(count.to_string());
  return text.size() <= kMost ? text : text.substr(0, text.find_last_of(" *", kMost)) + " ...";
}

}  // namespace onnxc

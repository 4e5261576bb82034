// Lines of generated code, and numbers that read back the same.
#include "compiler/emit/writer.hpp"

#include <cmath>

namespace onnxc {

constexpr std::size_t kWidth = 100;

void CodeWriter::raw_line(std::string_view text) {
  const std::size_t indent = static_cast<std::size_t>(indent_) * 2;
  for (const std::string& line : wrap_line(text, kWidth - indent)) {
    if (!line.empty()) text_.append(indent, ' ');
    text_ += line;
    text_ += '\n';
  }
}

void CodeWriter::wrapped(const std::vector<std::string>& pieces, std::size_t hanging) {
  const std::size_t columns = kWidth - static_cast<std::size_t>(indent_) * 2;
  std::string line;
  for (const std::string& piece : pieces) {
    const bool fits = line.size() + 1 + piece.size() <= columns;
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

}  // namespace onnxc

// Escapes of string literals: octal and of fixed length, so that the next character is never part
// of one.
#include "compiler/emit/string_literal.hpp"

namespace onnxc {
namespace {

std::string octal(char c) { return fmt::format("\\{:03o}", static_cast<unsigned char>(c)); }

}  // namespace

StringLiteral string_literal(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const bool plain = c >= ' ' && c <= '~' && c != '"' && c != '\\' && c != '?';
    out += plain ? std::string(1, c) : octal(c);
  }
  return StringLiteral(out + "\"");
}

StringLiteral byte_literal(std::string_view bytes) {
  std::string out = "\"";
  for (const char c : bytes) out += octal(c);
  return StringLiteral(out + "\"");
}

}  // namespace onnxc

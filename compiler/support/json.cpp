// JSON text: layout and escapes.
#include "compiler/support/json.hpp"

#include <fmt/format.h>

#include <cmath>

#include "compiler/support/utf8.hpp"

namespace onnxc {
namespace {

// UTF-16 code units, as JSON escapes need them.
std::string escaped(std::uint32_t code) {
  if (code < 0x10000) return fmt::format("\\u{:04x}", code);
  const std::uint32_t rest = code - 0x10000;
  return fmt::format("\\u{:04x}\\u{:04x}", 0xd800 + (rest >> 10), 0xdc00 + (rest & 0x3ff));
}

}  // namespace

std::string json_quoted(std::string_view text) {
  std::string s = "\"";
  while (!text.empty()) {
    const std::size_t n = utf8_length(text);
    const std::string_view character = text.substr(0, n == 0 ? 1 : n);
    const char c = character[0];
    if (n == 0)
      s += "\\ufffd";
    else if (c == '"' || c == '\\')
      s += std::string("\\") + c;
    else if (c >= ' ' && c <= '~')
      s += c;
    else
      s += escaped(code_point(character));
    text.remove_prefix(character.size());
  }
  return s + '"';
}

void JsonWriter::separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (depth_ == 0) return;
  if (!first_) out_ += ',';
  out_ += '\n';
  out_.append(2 * depth_, ' ');
  first_ = false;
}

void JsonWriter::open(char bracket) {
  separate();
  out_ += bracket;
  ++depth_;
  first_ = true;
}

void JsonWriter::close(char bracket) {
  --depth_;
  if (!first_) {
    out_ += '\n';
    out_.append(2 * depth_, ' ');
  }
  out_ += bracket;
  first_ = false;
}

JsonWriter& JsonWriter::raw(std::string_view text) {
  separate();
  out_ += text;
  return *this;
}

JsonWriter& JsonWriter::begin_object() { return open('{'), *this; }
JsonWriter& JsonWriter::end_object() { return close('}'), *this; }
JsonWriter& JsonWriter::begin_array() { return open('['), *this; }
JsonWriter& JsonWriter::end_array() { return close(']'), *this; }

JsonWriter& JsonWriter::key(std::string_view name) {
  raw(json_quoted(name));
  out_ += ": ";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) { return raw(json_quoted(text)); }
JsonWriter& JsonWriter::value(std::int64_t number) { return raw(std::to_string(number)); }
JsonWriter& JsonWriter::value(bool flag) { return raw(flag ? "true" : "false"); }
JsonWriter& JsonWriter::null() { return raw("null"); }

JsonWriter& JsonWriter::value(double number) {
  return std::isfinite(number) ? raw(fmt::format("{}", number)) : null();
}

std::string JsonWriter::take() { return std::move(out_) + "\n"; }

}  // namespace onnxc

#include "compiler/support/json.hpp"

#include <fmt/format.h>

#include <cmath>

namespace onnxc {
namespace {

// Length of the UTF-8 sequence at the start of `s`, 0 when it is malformed.
std::size_t utf8_length(std::string_view s) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };
  const unsigned char c = at(0);
  if (c < 0x80) return 1;
  const std::size_t n = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
  if (c < 0xc2 || c > 0xf4 || s.size() < n) return 0;
  for (std::size_t i = 1; i < n; ++i)
    if ((at(i) & 0xc0) != 0x80) return 0;
  const bool overlong = (c == 0xe0 && at(1) < 0xa0) || (c == 0xf0 && at(1) < 0x90);
  const bool surrogate = c == 0xed && at(1) >= 0xa0;
  const bool beyond = c == 0xf4 && at(1) >= 0x90;
  return overlong || surrogate || beyond ? 0 : n;
}

}  // namespace

std::string json_quoted(std::string_view text) {
  std::string s = "\"";
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t n = utf8_length(text.substr(i));
    const char c = text[i];
    if (n == 0)
      s += "\\ufffd";
    else if (c == '"' || c == '\\')
      s += std::string("\\") + c;
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      s += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    else
      s += text.substr(i, n);
    i += n == 0 ? 1 : n;
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

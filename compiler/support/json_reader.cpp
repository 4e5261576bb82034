// A reader of JSON as RFC 8259 has it.
#include "compiler/support/json_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "compiler/support/utf8.hpp"

namespace onnxc {
namespace {

constexpr int kMaxDepth = 200;

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  JsonValue document() {
    JsonValue v = value(0);
    skip_space();
    if (at_ < text_.size()) fail("has text after its value");
    return v;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    const auto line = 1 + std::count(text_.begin(), text_.begin() + static_cast<long>(at_), '\n');
    throw JsonError(fmt::format("line {}: {}", line, what));
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_space() {
    while (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r') ++at_;
  }
  bool take(char c) {
    skip_space();
    if (peek() != c || at_ == text_.size()) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail(fmt::format("expected {}", c));
  }
  bool word(std::string_view w) {
    if (text_.substr(at_, w.size()) != w) return false;
    at_ += w.size();
    return true;
  }

  JsonValue value(int depth) {
    if (depth > kMaxDepth) fail("is nested too deeply");
    skip_space();
    JsonValue v;
    if (peek() == '{') return object(depth);
    if (peek() == '[') return array(depth);
    if (peek() == '"') {
      v.kind = JsonValue::Kind::string;
      v.string = string();
      return v;
    }
    if (word("null")) return v;
    if (word("true") || word("false")) {
      v.kind = JsonValue::Kind::boolean;
      v.boolean = text_[at_ - 2] == 'u';
      return v;
    }
    return number();
  }

  JsonValue object(int depth) {
    JsonValue v;
    v.kind = JsonValue::Kind::object;
    expect('{');
    if (take('}')) return v;
    do {
      skip_space();
      std::string name = string();
      expect(':');
      v.members.push_back({std::move(name), value(depth + 1)});
    } while (take(','));
    expect('}');
    return v;
  }

  JsonValue array(int depth) {
    JsonValue v;
    v.kind = JsonValue::Kind::array;
    expect('[');
    if (take(']')) return v;
    do {
      v.items.push_back(value(depth + 1));
    } while (take(','));
    expect(']');
    return v;
  }

  // RFC 8259 allows no leading zeros or plus signs.
  JsonValue number() {
    std::size_t end = at_;
    const auto digits = [&] {
      const std::size_t begin = end;
      while (end < text_.size() && text_[end] >= '0' && text_[end] <= '9') ++end;
      if (end == begin) fail("is no value");
    };
    const auto next = [&](std::string_view any) {
      return end < text_.size() && any.find(text_[end]) != std::string_view::npos;
    };
    if (next("-")) ++end;
    if (next("0"))
      ++end;
    else
      digits();
    if (next(".")) {
      ++end;
      digits();
    }
    if (next("eE")) {
      ++end;
      if (next("+-")) ++end;
      digits();
    }
    JsonValue v;
    v.kind = JsonValue::Kind::number;
    const auto read = std::from_chars(text_.data() + at_, text_.data() + end, v.number);
    if (read.ec != std::errc()) fail("has a number out of range");
    at_ = end;
    return v;
  }

  std::string string() {
    if (peek() != '"' || at_ == text_.size()) fail("expected \"");
    ++at_;
    std::string out;
    for (;;) {
      if (at_ == text_.size()) fail("has a string without its end");
      const char c = text_[at_];
      if (c == '"') break;
      if (static_cast<unsigned char>(c) < 0x20) fail("has a control character in a string");
      if (c == '\\') {
        escape(out);
        continue;
      }
      const std::size_t bytes = utf8_length(text_.substr(at_));
      if (bytes == 0) fail("is no UTF-8");
      out += text_.substr(at_, bytes);
      at_ += bytes;
    }
    ++at_;
    return out;
  }

  void escape(std::string& out) {
    const char c = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    constexpr std::string_view names = "\"\\/bfnrt", values = "\"\\/\b\f\n\r\t";
    if (c != 'u') {
      const std::size_t known = names.find(c);
      if (c == '\0' || known == std::string_view::npos) fail("has an unknown escape");
      out += values[known];
      at_ += 2;
      return;
    }
    at_ += 2;
    std::uint32_t code = hexadecimal();
    if (code >= 0xD800 && code < 0xDC00 && word("\\u")) {
      const std::uint32_t low = hexadecimal();
      if (low < 0xDC00 || low >= 0xE000) fail("has half of a character");
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    if (code >= 0xD800 && code < 0xE000) fail("has half of a character");
    append_utf8(out, code);
  }

  std::uint32_t hexadecimal() {
    std::uint32_t code = 0;
    const std::string_view digits = text_.substr(std::min(at_, text_.size()), 4);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    if (error != std::errc() || digits.size() != 4 || end != digits.data() + 4)
      fail("has a bad \\u escape");
    at_ += 4;
    return code;
  }

  static void append_utf8(std::string& out, std::uint32_t code) {
    const auto tail = [&](int shift) { out += static_cast<char>(0x80 | (code >> shift & 0x3F)); };
    if (code < 0x80) {
      out += static_cast<char>(code);
    } else if (code < 0x800) {
      out += static_cast<char>(0xC0 | code >> 6);
      tail(0);
    } else if (code < 0x10000) {
      out += static_cast<char>(0xE0 | code >> 12);
      tail(6);
      tail(0);
    } else {
      out += static_cast<char>(0xF0 | code >> 18);
      tail(12);
      tail(6);
      tail(0);
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

const JsonValue* JsonValue::find(std::string_view name) const {
  const auto found = std::find_if(members.rbegin(), members.rend(),
                                  [&](const JsonMember& m) { return m.name == name; });
  return found == members.rend() ? nullptr : &found->value;
}

JsonValue read_json(std::string_view text) { return Reader(text).document(); }

}  // namespace onnxc

// Tokens of the textual forms.
#include "compiler/ir/lexer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace onnxc {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

}  // namespace

bool Lexer::is_word(char c) const {
  return is_letter(c) || is_digit(c) || rules_.word_signs.find(c) != std::string_view::npos;
}

void Lexer::fail(const std::string& message) const {
  const auto line = 1 + std::count(text_.begin(), text_.begin() + static_cast<long>(at_), '\n');
  throw ParseError(fmt::format("line {}: {}", line, message));
}

void Lexer::skip_blanks() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r')
      ++at_;
    else if (text_.substr(at_, rules_.comment.size()) == rules_.comment)
      at_ = std::min(text_.find('\n', at_), text_.size());
    else
      return;
  }
}

bool Lexer::at_end() {
  skip_blanks();
  return at_ == text_.size();
}

char Lexer::peek() { return at_end() ? '\0' : text_[at_]; }

bool Lexer::accept(std::string_view token) {
  skip_blanks();
  if (text_.substr(at_, token.size()) != token) return false;
  at_ += token.size();
  return true;
}

bool Lexer::accept_word(std::string_view token) {
  skip_blanks();
  const std::size_t end = at_ + token.size();
  if (end < text_.size() && is_word(text_[end])) return false;
  return accept(token);
}

void Lexer::expect(std::string_view token) {
  if (!accept(token)) fail(fmt::format("expected '{}'", token));
}

std::string Lexer::word() {
  skip_blanks();
  std::size_t end = at_;
  while (end < text_.size() && is_word(text_[end])) ++end;
  if (end == at_) fail("expected a name");
  const std::string s(text_.substr(at_, end - at_));
  at_ = end;
  return s;
}

std::string Lexer::string_literal() {
  expect("\"");
  std::string s;
  for (;; ++at_) {
    if (at_ >= text_.size()) fail("string without an end");
    const char c = text_[at_];
    if (c == '"') break;
    if (c != '\\') {
      s += c;
      continue;
    }
    if (text_.substr(at_, 2) != "\\x") {
      if (++at_ >= text_.size()) fail("string without an end");
      s += text_[at_];
      continue;
    }
    unsigned value = 0;
    const char* digits = text_.data() + std::min(at_ + 2, text_.size());
    const char* end = text_.data() + std::min(at_ + 4, text_.size());
    if (std::from_chars(digits, end, value, 16).ptr != end || end - digits != 2)
      fail("bad escape in a string");
    s += static_cast<char>(value);
    at_ += 3;
  }
  ++at_;
  return s;
}

std::string Lexer::name() { return peek() == '"' ? string_literal() : word(); }

std::string Lexer::number() {
  skip_blanks();
  std::size_t end = at_;
  if (end < text_.size() && (text_[end] == '-' || text_[end] == '+')) ++end;
  while (end < text_.size()) {
    const bool exponent_sign = (text_[end] == '-' || text_[end] == '+') && text_[end - 1] == 'e';
    if (!is_digit(text_[end]) && !exponent_sign && text_[end] != '.' &&
        !(text_[end] >= 'a' && text_[end] <= 'z'))
      break;
    ++end;
  }
  const std::string s(text_.substr(at_, end - at_));
  if (s.empty()) fail("expected a number");
  at_ = end;
  return s;
}

std::int64_t Lexer::integer() {
  const std::string s = number();
  std::int64_t v = 0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), v);
  if (error != std::errc{} || end != s.data() + s.size()) fail("bad integer " + s);
  return v;
}

std::string Lexer::hex_digits() {
  skip_blanks();
  std::size_t end = at_;
  while (end < text_.size() && (is_digit(text_[end]) || (text_[end] >= 'a' && text_[end] <= 'f')))
    ++end;
  const std::string s(text_.substr(at_, end - at_));
  at_ = end;
  return s;
}

}  // namespace onnxc

// Tokens of a text: a cursor over characters. The text form of the IR and ONNX's textual syntax
// differ in their comments and in the characters of a word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace onnxc {

// "line 3: expected ')'"
struct ParseError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct LexerRules {
  std::string_view comment = "//";        // starts one, which ends with the line
  std::string_view word_signs = "_./#?";  // characters of words other than letters and digits
};

class Lexer {
 public:
  explicit Lexer(std::string_view text, LexerRules rules = {}) : text_(text), rules_(rules) {}

  bool at_end();
  char peek();                              // next character that is not a blank; '\0' at the end
  bool accept(std::string_view token);      // consumes it when it is next
  bool accept_word(std::string_view word);  // as accept, but not the beginning of a longer word
  void expect(std::string_view token);
  std::string word();
  // In double quotes; \" and \\ stand for themselves, \xHH for any byte.
  std::string string_literal();
  std::string name();  // a word or a string literal
  // The characters of a number, a sign, inf or nan included.
  std::string number();
  std::int64_t integer();
  // Fails where Int does not hold it.
  template <typename Int>
  Int integer_as() {
    const std::int64_t v = integer();
    if (!std::in_range<Int>(v)) fail("integer " + std::to_string(v) + " is out of range");
    return static_cast<Int>(v);
  }
  std::size_t count() { return integer_as<std::size_t>(); }
  std::string hex_digits();
  [[noreturn]] void fail(const std::string& message) const;

 private:
  void skip_blanks();
  bool is_word(char c) const;
  std::string_view text_;
  LexerRules rules_;
  std::size_t at_ = 0;
};

}  // namespace onnxc

// Tokens of the text form of the IR: a cursor over characters.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace onnxc {

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  bool at_end();
  char peek();                              // next character that is no blank; '\0' at the end
  bool accept(std::string_view token);      // consumes it when it is next
  bool accept_word(std::string_view word);  // as accept, but not the beginning of a longer word
  void expect(std::string_view token);
  std::string word();  // letters, digits and _ . / # ? :
  std::string string_literal();
  std::string name();  // a word or a string literal
  // The characters of a number, a sign, inf or nan included.
  std::string number();
  std::int64_t integer();
  std::string hex_digits();
  [[noreturn]] void fail(const std::string& message) const;

 private:
  void skip_blanks();
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace onnxc

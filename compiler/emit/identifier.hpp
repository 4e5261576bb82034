// A C++ identifier: the only form in which a model's names appear in code.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace onnxc {

// Letters, digits and underscores, not starting with a digit. Made by identifier_from and the
// functions below; a raw std::string does not convert to one.
class Identifier {
 public:
  Identifier() = default;  // empty: none yet

  const std::string& text() const { return text_; }
  operator const std::string&() const { return text_; }
  bool empty() const { return text_.empty(); }

  // With a suffix of letters, digits and underscores from the emitter: "_dims".
  Identifier with(const char* suffix) const { return Identifier(text_ + suffix); }

  // Two identifiers joined by an underscore.
  Identifier with(const Identifier& part) const { return Identifier(text_ + "_" + part.text_); }

  friend bool operator==(const Identifier& a, std::string_view b) { return a.text_ == b; }
  friend std::string operator+(const Identifier& a, const std::string& b) { return a.text_ + b; }
  friend std::string operator+(const std::string& a, const Identifier& b) { return a + b.text_; }

  // A model's name may contain any byte; each run of other characters becomes one underscore.
  friend Identifier identifier_from(std::string_view text, std::size_t longest);
  friend Identifier pascal_case(const Identifier& identifier);
  friend Identifier upper_case(const Identifier& identifier);
  friend Identifier size_name(const std::string& symbol);
  friend class NameScope;

 private:
  explicit Identifier(std::string text) : text_(std::move(text)) {}

  std::string text_;
};

}  // namespace onnxc

template <>
struct fmt::formatter<onnxc::Identifier> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(const onnxc::Identifier& identifier, Context& context) const {
    return fmt::formatter<std::string_view>::format(identifier.text(), context);
  }
};

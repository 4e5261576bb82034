// The common stem of the generated files, as it appears inside them.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>

namespace onnxc {

// A name that is valid between the quotes of #include and .incbin, which have no escapes, and in a
// comment: printable ASCII without quote, backslash, * and ?. Only FileStem::from makes one.
class FileStem {
 public:
  FileStem() = default;  // empty
  // Nullopt for a name that cannot be included.
  static std::optional<FileStem> from(std::string_view name);

  const std::string& text() const { return text_; }
  operator const std::string&() const { return text_; }

 private:
  explicit FileStem(std::string_view text) : text_(text) {}

  std::string text_;
};

}  // namespace onnxc

template <>
struct fmt::formatter<onnxc::FileStem> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(const onnxc::FileStem& stem, Context& context) const {
    return fmt::formatter<std::string_view>::format(stem.text(), context);
  }
};

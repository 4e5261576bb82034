// Replaces placeholders.
#include "compiler/emit/fixed_text.hpp"

#include <stdexcept>

#include "compiler/emit/licence.hpp"
#include "compiler/support/embedded_files.hpp"

namespace onnxc {

std::string fixed_text(std::string_view path, const TextValues& values) {
  std::string out;
  for (std::string_view text = embedded_text(path); !text.empty();) {
    const std::size_t mark = std::min(text.find("@{"), text.size());
    out += text.substr(0, mark);
    text.remove_prefix(mark);
    if (text.empty()) break;
    const std::size_t end = std::min(text.find('}'), text.size() - 1);
    const std::string_view name = text.substr(2, end - 2);
    text.remove_prefix(end + 1);
    if (const auto found = values.find(name); found != values.end())
      out += found->second.text();
    else if (name == "licence")
      out += licence_line("");
    else if (name == "version")
      out += ONNXC_VERSION;
    else
      throw std::logic_error(fmt::format("{}: no value for @{{{}}}", path, name));
  }
  return out;
}

}  // namespace onnxc

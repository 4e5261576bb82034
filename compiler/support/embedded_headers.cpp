// Look-ups in the tables of the embedded headers.
#include "compiler/support/embedded_headers.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace onnxc {

std::size_t embedded_header(std::string_view stem) {
  const auto found = std::ranges::find(kEmbeddedHeaders, stem, &EmbeddedHeader::stem);
  if (found == kEmbeddedHeaders.end())
    throw std::logic_error("no kernel header " + std::string(stem));
  return static_cast<std::size_t>(found - kEmbeddedHeaders.begin());
}

const EmbeddedFunction* embedded_function(std::string_view name) {
  const auto found =
      std::ranges::lower_bound(kEmbeddedFunctions, name, {}, &EmbeddedFunction::name);
  return found != kEmbeddedFunctions.end() && found->name == name ? &*found : nullptr;
}

std::optional<WordId> embedded_word(std::string_view text) {
  const auto found = std::ranges::lower_bound(kEmbeddedWords, text);
  if (found == kEmbeddedWords.end() || *found != text) return std::nullopt;
  return static_cast<WordId>(found - kEmbeddedWords.begin());
}

}  // namespace onnxc

// Puts values in the place of symbols.
#include "compiler/ir/size_values.hpp"

#include "compiler/support/checked.hpp"

namespace onnxc {

std::optional<std::int64_t> at_sizes(const Dim& amount, const SizeValues& sizes) {
  try {
    return amount
        .substitute([&](const std::string& symbol) -> std::optional<Dim> {
          const auto found = sizes.find(symbol);
          return found == sizes.end() ? std::nullopt : std::optional<Dim>(found->second);
        })
        .constant();
  } catch (const OverflowError&) {
    return std::nullopt;
  }
}

}  // namespace onnxc

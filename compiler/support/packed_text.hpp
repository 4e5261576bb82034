// Texts inside the compiler, packed together when it is built: decision 0049.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace onnxc {

// A part of what kPackedTexts holds. The first use of any of them unpacks all.
struct PackedText {
  std::uint32_t begin, size;

  std::string_view text() const;
  operator std::string_view() const { return text(); }
};

extern const std::string_view kPackedTexts;

// What compiler/embed/pack.hpp has packed.
std::string unpack(std::string_view packed);

}  // namespace onnxc

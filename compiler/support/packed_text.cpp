// Copies literal bytes and earlier text by turns.
#include "compiler/support/packed_text.hpp"

namespace onnxc {
namespace {

// Seven bits in a byte, the lowest first; all but the last byte have the eighth.
std::size_t take_number(std::string_view& packed) {
  std::size_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(packed.front());
    packed.remove_prefix(1);
    value |= std::size_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return value;
  }
}

}  // namespace

std::string unpack(std::string_view packed) {
  const std::size_t size = take_number(packed);
  std::string out;
  out.reserve(size);
  while (out.size() < size) {
    const std::size_t literals = take_number(packed);
    out += packed.substr(0, literals);
    packed.remove_prefix(literals);
    if (packed.empty()) break;
    const std::size_t length = take_number(packed), from = out.size() - take_number(packed);
    // What is copied may begin inside of what it makes.
    if (from + length <= out.size())
      out.append(out.data() + from, length);
    else
      for (std::size_t i = 0; i < length; ++i) out += out[from + i];
  }
  return out;
}

std::string_view PackedText::text() const {
  static const std::string all = unpack(kPackedTexts);
  return std::string_view(all).substr(begin, size);
}

}  // namespace onnxc

// Makes numbers and words.
#include "compiler/run/random_inputs.hpp"

#include <cstring>

namespace onnxc {
namespace {

// Words of one letter: the length of each, then all letters.
std::string random_words(std::int64_t count, Random& random) {
  std::string bytes, letters;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t length = 1;
    bytes.append(reinterpret_cast<const char*>(&length), sizeof length);
    letters += static_cast<char>('a' + random.next() % 26);
  }
  return bytes + letters;
}

}  // namespace

std::uint32_t Random::next() {
  state_ = state_ * 6364136223846793005u + 1442695040888963407u;
  return static_cast<std::uint32_t>(state_ >> 33);
}

float Random::unit() { return static_cast<float>(next()) / 1073741824.0f - 1.0f; }

std::string random_elements(const Port& port, Random& random) {
  if (port.elem == ElemType::string) return random_words(port.elements, random);
  const std::size_t width = elem_bytes(port.elem);
  std::string bytes(static_cast<std::size_t>(port.elements) * width, '\0');
  for (std::size_t at = 0; at < bytes.size(); at += width) {
    const float value = random.unit();
    if (port.elem == ElemType::float32) {
      std::memcpy(&bytes[at], &value, sizeof value);
    } else if (port.elem == ElemType::float64) {
      const double wide = static_cast<double>(value);
      std::memcpy(&bytes[at], &wide, sizeof wide);
    } else if (port.elem == ElemType::float16) {
      bytes[at + 1] = value < 0 ? '\xb8' : '\x38';  // -0.5, 0.5
    } else if (is_float(port.elem)) {
      bytes[at + width - 1] = '\x38';
    } else {
      bytes[at] = value < 0 ? '\0' : '\1';
    }
  }
  return bytes;
}

}  // namespace onnxc

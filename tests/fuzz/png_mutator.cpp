// Mutants of PNG files with the checksums that fit, as a decoder refuses others before it reads on.
#include <cstddef>
#include <cstdint>

#include "templates/image_codec/image_png.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t room);

namespace {

using namespace onnxc;

void repair_checksums(std::uint8_t* file, Index size) {
  const image::Bytes in{file, size};
  for (Index at = 8; in.has(at, 12);) {
    const auto length = static_cast<Index>(in.be32(at));
    if (!in.has(at + 8, length) || !in.has(at + 8 + length, 4)) return;
    const std::uint32_t sum = image::png::crc(in, at + 4, length + 4);
    for (Index i = 0; i < 4; ++i)
      file[at + 8 + length + i] = static_cast<std::uint8_t>(sum >> (24 - 8 * i));
    at += 12 + length;
  }
}

}  // namespace

// The first byte is not of the file.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t room, unsigned seed) {
  const std::size_t mutated = LLVMFuzzerMutate(data, size, room);
  if (mutated > 1 && seed % 8 != 0) repair_checksums(data + 1, static_cast<Index>(mutated) - 1);
  return mutated;
}

// Bytes as an encoded image of one format, the decoder DECODER of image_decoder.hpp. The first byte
// sets the format of the pixels.
#include "templates/image_codec/image_decoder.hpp"

#include <cstdlib>
#include <memory>
#include <vector>

namespace {

// Each piece in memory of its own, so that the sanitizer sees its ends.
class Pieces {
 public:
  void* allocate(onnxc::Index bytes) {
    if (bytes > onnxc::Index{1} << 24) return nullptr;
    const auto whole = static_cast<std::size_t>((bytes + 63) / 64 * 64);
    pieces_.emplace_back(std::aligned_alloc(64, whole), std::free);
    return pieces_.back().get();
  }

 private:
  std::vector<std::unique_ptr<void, void (*)(void*)>> pieces_;
};

struct Shape {
  onnxc::Index format;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace onnxc;
  constexpr int kNotForTheCorpus = -1;
  if (size == 0) return kNotForTheCorpus;
  const Index format = data[0] % 3;
  const std::vector<std::uint8_t> file(data + 1, data + size);
  const auto bytes = static_cast<Index>(file.size());
  if (!image::DECODER::matches({file.data(), bytes})) return kNotForTheCorpus;
  Index height = 0, width = 0;
  if (image_extents(file.data(), bytes, &height, &width) != Status::ok) return 0;
  if (height > 4096 || width > 4096 || height * width > 1 << 14) return 0;
  std::vector<std::uint8_t> pixels(
      static_cast<std::size_t>(height * width * (format == 2 ? 1 : 3)));
  Pieces memory;
  image_decode(Shape{format}, file.data(), bytes, pixels.data(), memory);
  return 0;
}

// image_decoder.cpp - images of every format against their pixels, and broken images.
#include "templates/image_codec/image_decoder.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "compiler/kernels/image_calls.hpp"
#include "tests/kernels/image_samples.hpp"

using namespace onnxc;

namespace {

using Byte = std::vector<std::uint8_t>;

// Each piece in memory of its own, so that the sanitizer sees its ends; at most `most` of them.
class Pieces {
 public:
  explicit Pieces(int most = 1 << 30) : left_(most) {}
  void* allocate(Index bytes) {
    if (left_-- <= 0 || bytes > (Index{1} << 28)) return nullptr;
    const auto whole = static_cast<std::size_t>((bytes + 63) / 64 * 64);
    pieces_.emplace_back(std::aligned_alloc(64, whole), std::free);
    return pieces_.back().get();
  }

 private:
  int left_;
  std::vector<std::unique_ptr<void, void (*)(void*)>> pieces_;
};

using Format = onnxc::ImageDecodeShape<onnxc::Index>;

struct Picture {
  Status status = Status::ok;
  Index height = 0, width = 0;
  Byte pixels;
};

Picture decode(const Byte& data, Index format = 0, int pieces = 1 << 30) {
  Picture p;
  p.status = image_extents(data.data(), static_cast<Index>(data.size()), &p.height, &p.width);
  if (p.status != Status::ok) return p;
  // Hostile headers may claim images that are too large for a test.
  if (p.height * p.width > 1 << 16) return p;
  p.pixels.resize(static_cast<std::size_t>(p.height * p.width * (format == 2 ? 1 : 3)));
  Pieces memory(pieces);
  p.status = image_decode(Format{format}, data.data(), static_cast<Index>(data.size()),
                          p.pixels.data(), memory);
  return p;
}

Byte bytes(const std::string& text) { return Byte(text.begin(), text.end()); }

void add(Byte& to, const Byte& more) { to.insert(to.end(), more.begin(), more.end()); }
void add_le(Byte& to, std::uint32_t v, int count) {
  for (int i = 0; i < count; ++i) to.push_back(static_cast<std::uint8_t>(v >> 8 * i));
}
void add_be(Byte& to, std::uint32_t v, int count) {
  for (int i = count - 1; i >= 0; --i) to.push_back(static_cast<std::uint8_t>(v >> 8 * i));
}

// ---- encoders of the simple formats ----

Byte bmp(int width, int height, int bits, std::uint32_t compression, const Byte& palette,
         const Byte& pixels) {
  Byte b = bytes("BM");
  const auto at = static_cast<std::uint32_t>(54 + palette.size());
  add_le(b, at + static_cast<std::uint32_t>(pixels.size()), 4);
  add_le(b, 0, 4);
  add_le(b, at, 4);
  add_le(b, 40, 4);
  add_le(b, static_cast<std::uint32_t>(width), 4);
  add_le(b, static_cast<std::uint32_t>(height), 4);
  add_le(b, 1, 2);
  add_le(b, static_cast<std::uint32_t>(bits), 2);
  add_le(b, compression, 4);
  add_le(b, 0, 4);
  for (int i = 0; i < 2; ++i) add_le(b, 0, 4);
  add_le(b, bits <= 8 ? static_cast<std::uint32_t>(palette.size() / 4) : 0, 4);
  add_le(b, 0, 4);
  add(b, palette);
  add(b, pixels);
  return b;
}

std::uint32_t slow_crc(const Byte& b, std::size_t from) {
  std::uint32_t c = ~0U;
  for (std::size_t i = from; i < b.size(); ++i) {
    c ^= b[i];
    for (int k = 0; k < 8; ++k) c = c >> 1 ^ ((c & 1U) != 0 ? 0xEDB88320U : 0U);
  }
  return ~c;
}

void add_chunk(Byte& b, const std::string& name, const Byte& body) {
  add_be(b, static_cast<std::uint32_t>(body.size()), 4);
  const std::size_t from = b.size();
  add(b, bytes(name));
  add(b, body);
  add_be(b, slow_crc(b, from), 4);
}

// rows: filter bytes and samples; stored without compression.
Byte png(std::uint32_t width, std::uint32_t height, std::uint32_t depth, std::uint32_t color,
         const Byte& rows) {
  Byte b = bytes("\x89PNG\r\n\x1a\n"), head, data;
  add_be(head, width, 4);
  add_be(head, height, 4);
  for (std::uint32_t v : {depth, color, 0U, 0U, 0U}) add_be(head, v, 1);
  add_chunk(b, "IHDR", head);
  add_be(data, 0x7801, 2);
  data.push_back(1);
  add_le(data, static_cast<std::uint32_t>(rows.size()), 2);
  add_le(data, ~static_cast<std::uint32_t>(rows.size()), 2);
  add(data, rows);
  // Two chunks hold one stream.
  add_chunk(b, "IDAT", Byte(data.begin(), data.begin() + 5));
  add_chunk(b, "IDAT", Byte(data.begin() + 5, data.end()));
  add_chunk(b, "IEND", {});
  return b;
}

Byte tiff(bool big, const std::vector<std::array<std::uint32_t, 4>>& entries, const Byte& strip) {
  Byte b = bytes(big ? "MM" : "II");
  const auto number = [&](std::uint32_t v, int count) {
    big ? add_be(b, v, count) : add_le(b, v, count);
  };
  number(42, 2);
  number(static_cast<std::uint32_t>(8 + strip.size()), 4);
  add(b, strip);
  number(static_cast<std::uint32_t>(entries.size()), 2);
  for (const auto& [tag, type, count, value] : entries) {
    number(tag, 2);
    number(type, 2);
    number(count, 4);
    if (type == 3) {
      number(value, 2);
      number(0, 2);
    } else {
      number(value, 4);
    }
  }
  number(0, 4);
  return b;
}

std::vector<Byte> sample_files() {
  std::vector<Byte> files;
  for (const auto& s : samples::all()) files.push_back(s.data);
  files.push_back(bytes("P3 2 1 255\n1 2 3  4 5 6\n"));
  files.push_back(bytes("P5 3 1 255\nabc"));
  files.push_back(bmp(2, 1, 24, 0, {}, {1, 2, 3, 4, 5, 6, 0, 0}));
  return files;
}

}  // namespace

TEST_CASE("portable maps", "[image]") {
  Picture p = decode(bytes("P3\n# a comment\n2 1 10\n0 5 10 1 2 3"));
  CHECK(p.status == Status::ok);
  CHECK((p.height == 1 && p.width == 2));
  CHECK(p.pixels == Byte{0, 128, 255, 26, 51, 77});
  CHECK(decode(bytes("P3 2 1 10 0 5 10 1 2 3"), 1).pixels == Byte{255, 128, 0, 77, 51, 26});
  CHECK(decode(bytes("P1 3 2 101\n0 1 0"), 2).pixels == Byte{0, 255, 0, 255, 0, 255});
  CHECK(decode(bytes("P4 9 1 \x55\x80"), 2).pixels == Byte{255, 0, 255, 0, 255, 0, 255, 0, 0});
  CHECK(decode(bytes("P2 2 1 65535 65535 32768"), 2).pixels == Byte{255, 128});
  Byte wide = bytes("P5 2 1 1000 ");
  add_be(wide, 500, 2);
  add_be(wide, 1000, 2);
  CHECK(decode(wide, 2).pixels == Byte{128, 255});
  CHECK(decode(bytes("P6 1 1 255 abc")).pixels == Byte{'a', 'b', 'c'});
  CHECK(decode(bytes("P6 1 1 255 ab")).status == Status::bad_value);
  CHECK(decode(bytes("P2 1 1 9 10")).status == Status::bad_value);
  CHECK(decode(bytes("P5 99999999 99999999 255 a")).status == Status::bad_value);
}

TEST_CASE("bitmaps", "[image]") {
  const Byte rows{1, 2, 3, 4, 5, 6, 0, 0, 7, 8, 9, 10, 11, 12, 0, 0};
  CHECK(decode(bmp(2, 2, 24, 0, {}, rows)).pixels == Byte{9, 8, 7, 12, 11, 10, 3, 2, 1, 6, 5, 4});
  CHECK(decode(bmp(2, -2, 24, 0, {}, rows)).pixels == Byte{3, 2, 1, 6, 5, 4, 9, 8, 7, 12, 11, 10});
  const Byte colors{1, 2, 3, 0, 4, 5, 6, 0};
  CHECK(decode(bmp(3, 1, 1, 0, colors, {0x40, 0, 0, 0})).pixels == Byte{3, 2, 1, 6, 5, 4, 3, 2, 1});
  Byte masks;
  for (std::uint32_t m : {0xF800U, 0x7E0U, 0x1FU}) add_le(masks, m, 4);
  CHECK(decode(bmp(1, 1, 16, 3, masks, {0xFF, 0x07, 0, 0})).pixels == Byte{0, 255, 255});
  // Runs of 8 and 4 bits: a run, a jump, literals with padding, an end.
  const Byte grays{0, 0, 0, 0, 9, 9, 9, 0, 7, 7, 7, 0};
  CHECK(decode(bmp(4, 2, 8, 1, grays, {2, 1, 0, 2, 0, 1, 0, 3, 2, 1, 2, 0, 0, 1}), 2).pixels ==
        Byte{0, 0, 7, 9, 9, 9, 0, 0});
  CHECK(decode(bmp(4, 1, 4, 2, grays, {3, 0x12, 0, 1}), 2).pixels == Byte{9, 7, 9, 0});
  CHECK(decode(bmp(4, 2, 8, 1, grays, {2, 1}), 2).status == Status::bad_value);
  CHECK(decode(bmp(2, 2, 24, 0, {}, {1, 2, 3})).status == Status::bad_value);
}

TEST_CASE("png filters, depths and broken chunks", "[image]") {
  // One row for each filter.
  const Byte rows{0, 1, 2, 3, 1, 1, 1, 1, 2, 1, 1, 1, 3, 10, 10, 10, 4, 1, 1, 1};
  CHECK(decode(png(3, 5, 8, 0, rows), 2).pixels ==
        Byte{1, 2, 3, 1, 2, 3, 2, 3, 4, 11, 17, 20, 12, 18, 21});
  CHECK(decode(png(5, 1, 2, 0, {0, 0x1B, 0x80}), 2).pixels == Byte{0, 85, 170, 255, 170});
  CHECK(decode(png(1, 1, 16, 2, {0, 1, 2, 3, 4, 5, 6})).pixels == Byte{1, 3, 5});
  CHECK(decode(png(1, 1, 8, 6, {0, 1, 2, 3, 4})).pixels == Byte{1, 2, 3});
  CHECK(decode(png(2, 1, 8, 4, {0, 1, 2, 3, 4}), 2).pixels == Byte{1, 3});
  CHECK(decode(png(1, 1, 8, 0, {5, 1}), 2).status == Status::bad_value);
  CHECK(decode(png(9, 1, 8, 0, {0, 1}), 2).status == Status::bad_value);
  Byte broken = png(1, 1, 8, 0, {0, 1});
  ++broken[20];
  CHECK(decode(broken).status == Status::bad_value);
}

TEST_CASE("tiff strips in both byte orders", "[image]") {
  for (bool big : {false, true}) {
    const auto file = [big](std::uint32_t photometric, std::uint32_t samples, std::uint32_t bits,
                            std::uint32_t compression, const Byte& strip) {
      return tiff(big,
                  {{256, 3, 1, 2},
                   {257, 3, 1, 1},
                   {258, 3, 1, bits},
                   {259, 3, 1, compression},
                   {262, 3, 1, photometric},
                   {273, 4, 1, 8},
                   {277, 3, 1, samples},
                   {278, 3, 1, 1},
                   {279, 4, 1, static_cast<std::uint32_t>(strip.size())}},
                  strip);
    };
    CHECK(decode(file(2, 3, 8, 1, {1, 2, 3, 4, 5, 6})).pixels == Byte{1, 2, 3, 4, 5, 6});
    CHECK(decode(file(0, 1, 8, 1, {1, 255}), 2).pixels == Byte{254, 0});
    CHECK(decode(file(1, 1, 1, 1, {0x40}), 2).pixels == Byte{0, 255});
    CHECK(decode(file(1, 1, 8, 32773, {255, 7}), 2).pixels == Byte{7, 7});
    CHECK(decode(file(5, 4, 8, 1, {0, 255, 0, 0, 0, 0, 0, 255})).pixels ==
          Byte{255, 0, 255, 0, 0, 0});
    CHECK(decode(file(1, 1, 8, 1, {1})).status == Status::bad_value);
    CHECK(decode(file(1, 1, 8, 9999, {1, 2})).status == Status::bad_value);
  }
}

TEST_CASE("images of every format give the pixels of the reference", "[image]") {
  for (const auto& s : samples::all()) {
    INFO(s.name);
    const Picture p = decode(s.data);
    REQUIRE(p.status == Status::ok);
    REQUIRE((p.height == s.height && p.width == s.width));
    REQUIRE(p.pixels.size() == s.pixels.size());
    int most = 0;
    for (std::size_t i = 0; i < s.pixels.size(); ++i)
      most = std::max(most, std::abs(int{s.pixels[i]} - int{p.pixels[i]}));
    // Fused multiplications may round a float transform differently.
    CHECK(most <= (s.name.rfind("jpeg2000_real.", 0) == 0 ? 1 : 0));
  }
}

TEST_CASE("cut images fail without harm", "[image]") {
  for (const Byte& file : sample_files())
    for (std::size_t size = 0; size < file.size(); ++size) {
      const Byte cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
      const Status status = decode(cut).status;
      // The trailing bytes of an image may be missing.
      if (size < file.size() / 2) CHECK(status == Status::bad_value);
    }
}

TEST_CASE("damaged images do no harm", "[image]") {
  std::mt19937 random(7);
  for (const Byte& file : sample_files())
    for (int round = 0; round < 400; ++round) {
      Byte damaged = file;
      for (auto n = random() % 3 + 1; n > 0; --n)
        damaged[random() % damaged.size()] = static_cast<std::uint8_t>(random());
      const Status status = decode(damaged, round % 3).status;
      CHECK(
          (status == Status::ok || status == Status::bad_value || status == Status::out_of_memory));
    }
}

TEST_CASE("images end cleanly when the memory does", "[image]") {
  for (const Byte& file : sample_files()) {
    int pieces = 0;
    while (decode(file, 0, pieces).status == Status::out_of_memory) ++pieces;
    CHECK(decode(file, 0, pieces).status == Status::ok);
  }
}

TEST_CASE("images out of one block of memory", "[image]") {
  struct Declared {
    Index bytes, format, capacity;
  };
  const auto& sample = samples::all()[0];
  Byte pixels(static_cast<std::size_t>(sample.height * sample.width * 3)), work(1 << 16);
  Declared s{static_cast<Index>(sample.data.size()), 0, 1 << 16};
  Index extents[2] = {0, 0};
  CHECK(image_size(s, sample.data.data(), extents) == Status::ok);
  CHECK((extents[0] == sample.height && extents[1] == sample.width));
  CHECK(image_decode_in(s, sample.data.data(), s.bytes, pixels.data(), work.data()) == Status::ok);
  CHECK(pixels == sample.pixels);
  s.capacity = 100;
  CHECK(image_decode_in(s, sample.data.data(), s.bytes, pixels.data(), work.data()) ==
        Status::out_of_memory);
  s.bytes = 3;
  CHECK(image_size(s, sample.data.data(), extents) == Status::bad_value);
}

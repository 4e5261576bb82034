// Looks for the longest repetition at each place, among the latest places that begin alike.
#include "compiler/embed/pack.hpp"

#include <cstdint>
#include <vector>

namespace onnxc {
namespace {

constexpr std::size_t kKey = 4, kKeys = 1 << 16, kPlaces = 300;

struct Repetition {
  std::size_t length = 0, distance = 0;
};

void put_number(std::string& out, std::size_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>((value & 0x7f) | 0x80);
  out += static_cast<char>(value);
}

class Packer {
 public:
  explicit Packer(std::string_view text)
      : text_(text), earlier_(text.size(), kNone), latest_(kKeys, kNone) {}

  std::string run() {
    std::size_t at = 0;
    while (at < text_.size()) {
      const Repetition here = longest(at);
      learn(at);
      // A repetition that begins one byte later may be worth more.
      if (!pays(here) || longest(at + 1).length > here.length + 1) {
        ++at;
        continue;
      }
      put_literals(at);
      put_number(out_, here.length);
      put_number(out_, here.distance);
      for (std::size_t i = 1; i < here.length; ++i) learn(at + i);
      written_ = at += here.length;
    }
    put_literals(at);
    return out_;
  }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};

  // More than the numbers that say it.
  static bool pays(const Repetition& r) {
    return r.length >= (r.distance < 0x80 ? 4u : r.distance < 0x4000 ? 5u : 6u);
  }

  void put_literals(std::size_t end) {
    put_number(out_, end - written_);
    out_ += text_.substr(written_, end - written_);
  }

  std::size_t key(std::size_t at) const {
    std::uint32_t bytes = 0;
    for (std::size_t i = 0; i < kKey; ++i)
      bytes = bytes << 8 | static_cast<unsigned char>(text_[at + i]);
    return bytes * 2654435761u >> 16;  // spreads what is alike
  }

  void learn(std::size_t at) {
    if (at + kKey > text_.size()) return;
    std::size_t& latest = latest_[key(at)];
    earlier_[at] = latest;
    latest = at;
  }

  Repetition longest(std::size_t at) const {
    Repetition best;
    if (at + kKey > text_.size()) return best;
    std::size_t place = latest_[key(at)];
    for (std::size_t tries = 0; place != kNone && tries < kPlaces; ++tries) {
      const std::size_t n = common(place, at, best.length);
      if (n > best.length) best = {n, at - place};
      place = earlier_[place];
    }
    return best;
  }

  // How many bytes are equal; 0 where that is not more than `known`.
  std::size_t common(std::size_t place, std::size_t at, std::size_t known) const {
    if (at + known >= text_.size() || text_[place + known] != text_[at + known]) return 0;
    std::size_t n = 0;
    while (at + n < text_.size() && text_[place + n] == text_[at + n]) ++n;
    return n;
  }

  std::string_view text_;
  std::vector<std::size_t> earlier_;  // the place before with the same key
  std::vector<std::size_t> latest_;   // by the key
  std::size_t written_ = 0;
  std::string out_;
};

}  // namespace

std::string pack(std::string_view text, bool store) {
  std::string out;
  put_number(out, text.size());
  if (!store) return out + Packer(text).run();
  put_number(out, text.size());
  return out.append(text);
}

}  // namespace onnxc

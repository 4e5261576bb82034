// Two models in one program; two instances of one, interleaved, each in its own arena.
#include <cmath>
#include <cstring>
#include <thread>
#include <vector>

#include "flowers.h"
#include "shapes.h"
#include "shapes_small.h"

namespace {

// Canaries on both sides, poisoned before every run.
struct Arena {
  std::vector<unsigned char> bytes;
  std::size_t size;
  unsigned char* start;
  explicit Arena(std::size_t n) : bytes(n + 64 * 3), size(n) {
    auto at = reinterpret_cast<std::uintptr_t>(bytes.data()) + 64;
    start = reinterpret_cast<unsigned char*>((at + 63) / 64 * 64);
    std::memset(bytes.data(), 0xa5, bytes.size());
  }
  bool intact() const {
    for (const unsigned char* p = bytes.data(); p < start; ++p)
      if (*p != 0xa5) return false;
    for (const unsigned char* p = start + size; p < bytes.data() + bytes.size(); ++p)
      if (*p != 0xa5) return false;
    return true;
  }
};

struct Shapes {
  float picture[256], probability[4];
  Arena arena{SHAPES_ARENA_BYTES};
  bool run() {
    const shapes_inputs in = {picture};
    const shapes_outputs out = {probability};
    return shapes_run(&in, &out, arena.start) == SHAPES_OK;
  }
};

bool same(const float* a, const float* b, int n) {
  for (int i = 0; i < n; ++i)
    if (!(std::fabs(a[i] - b[i]) <= 1e-5f)) return false;
  return true;
}

}  // namespace

int main() {
  Shapes one, two;
  for (int i = 0; i < 256; ++i)
    one.picture[i] = static_cast<float>(i % 7) * 0.1f, two.picture[i] = 1.0f - one.picture[i];
  if (!one.run() || !two.run()) return 1;
  float first[4], second[4];
  std::memcpy(first, one.probability, sizeof first);
  std::memcpy(second, two.probability, sizeof second);

  bool good[2] = {true, true};
  const auto repeat = [&](Shapes& s, const float* want, bool& ok) {
    for (int i = 0; i < 200; ++i) {
      std::memset(s.arena.start, 0xff, s.arena.size);
      ok = ok && s.run() && std::memcmp(s.probability, want, sizeof s.probability) == 0;
    }
  };
  std::thread a(repeat, std::ref(one), first, std::ref(good[0])),
      b(repeat, std::ref(two), second, std::ref(good[1]));
  a.join();
  b.join();
  if (!good[0] || !good[1]) return 2;
  if (!one.arena.intact() || !two.arena.intact()) return 3;

  // Another model next to it, in the same arena.
  Arena shared(SHAPES_SMALL_ARENA_BYTES > FLOWERS_ARENA_BYTES ? SHAPES_SMALL_ARENA_BYTES
                                                              : FLOWERS_ARENA_BYTES);
  float small[4], lengths[4] = {6.1f, 2.9f, 4.7f, 1.4f}, flower[3];
  if (flowers::run(lengths, flower, shared.start) != FLOWERS_OK) return 4;
  if (shapes_small::run(one.picture, small, shared.start) != SHAPES_SMALL_OK) return 5;
  if (!same(small, first, 4)) return 6;

  // Bad arguments are reported.
  const shapes_inputs in = {nullptr};
  const shapes_outputs out = {small};
  if (shapes_run(&in, &out, shared.start) == SHAPES_OK) return 7;
  if (SHAPES_ARENA_BYTES > 0 && shapes_run(nullptr, &out, shared.start) == SHAPES_OK) return 8;
  return 0;
}

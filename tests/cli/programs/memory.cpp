// An arena in parts gives the results of one arena and writes nothing past their ends.
#include <cstring>
#include "shapes.h"
#include "whole.h"

alignas(64) static unsigned char one[WHOLE_ARENA_BYTES], parts[SHAPES_ARENA_BYTES];
alignas(64) static unsigned char fast[SHAPES_FAST_BYTES + 64], slow[SHAPES_SLOW_BYTES + 64];
static float x[256], want[4], got[4];

static bool is_right() { return std::memcmp(want, got, sizeof got) == 0; }

int main() {
  for (int i = 0; i < 256; ++i) x[i] = static_cast<float>(i * 37 % 101) / 50.0f - 1.0f;
  if (whole::run(x, want, one) != WHOLE_OK) return 1;
  std::memset(fast, 0xa5, sizeof fast);
  std::memset(slow, 0xa5, sizeof slow);
  if (shapes::run(x, got, nullptr, fast, slow) != SHAPES_OK || !is_right()) return 2;
  for (unsigned i = 0; i < 64; ++i)
    if (fast[SHAPES_FAST_BYTES + i] != 0xa5 || slow[SHAPES_SLOW_BYTES + i] != 0xa5) return 3;
  std::memset(got, 0, sizeof got);
  if (shapes::run(x, got, parts) != SHAPES_OK || !is_right()) return 4;
  std::memset(got, 0, sizeof got);
  if (shapes::run(x, got, parts, fast) != SHAPES_OK || !is_right()) return 5;
  if (shapes::run(x, got, nullptr, fast) != SHAPES_BAD_ARGUMENT) return 6;
  if (shapes::run(x, got, parts, fast + 4) != SHAPES_BAD_ARGUMENT) return 7;
  return 0;
}

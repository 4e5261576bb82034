// A decoder with caches that stay in place: the same results, and what follows them is kept.
#include <cstring>

#include "lm.h"

namespace {

constexpr int kRows = 12, kWidth = 8;

struct Caches {
  float k[kRows * kWidth], v[kRows * kWidth], y[2 * kWidth];
};

int step(const Caches& from, Caches& to, int64_t total) {
  alignas(LM_ARENA_ALIGN) static unsigned char arena[LM_ARENA_BYTES + 1];
  float q[2 * kWidth], k[kWidth], v[kWidth];
  for (int i = 0; i < kWidth; ++i)
    q[i] = q[i + kWidth] = k[i] = static_cast<float>(i) / 4, v[i] = 2;
  int64_t mask[kRows];
  for (int64_t& m : mask) m = 1;
  lm_inputs in{};
  in.q = q, in.new_k = k, in.new_v = v, in.past_k = from.k, in.past_v = from.v, in.mask = mask;
  in.mask_dims[0] = 1, in.mask_dims[1] = total;
  lm_outputs out{};
  out.y = to.y, out.present_k = to.k, out.present_v = to.v;
  return lm_run(&in, &out, arena);
}

}  // namespace

int main() {
  Caches a, b{};
  for (int i = 0; i < kRows * kWidth; ++i)
    a.k[i] = static_cast<float>(i % 5), a.v[i] = static_cast<float>(i % 7);
  if (step(a, b, 5) != LM_OK) return 1;
  Caches same = a;
  if (step(same, same, 5) != LM_OK) return 2;
  constexpr int kUsed = 5 * kWidth;
  if (std::memcmp(same.y, b.y, sizeof b.y) != 0) return 3;
  if (std::memcmp(same.k, b.k, kUsed * sizeof(float)) != 0) return 4;
  if (std::memcmp(same.v, b.v, kUsed * sizeof(float)) != 0) return 5;
  for (int i = kUsed; i < kRows * kWidth; ++i)
    if (same.k[i] != a.k[i] || b.k[i] != 0.0f) return 6;
  return step(a, b, 13) == LM_OK ? 7 : 0;
}

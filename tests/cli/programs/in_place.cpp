// Caches that a run updates where they are, against runs with memory of their own.
#include <cstring>

#include "kv.h"

namespace {

constexpr int kCache = 2 * 3 * 16 * 8, kFresh = 2 * 3 * 2 * 8;

struct State {
  float k[kCache], v[kCache], late[kCache], y[kFresh], copied[kCache];
};

void fill(float* x, int count, unsigned seed) {
  for (int i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    x[i] = static_cast<float>(seed >> 8) / 8388608.0f - 1.0f;
  }
}

// One run; where `apart` is null the caches stay where they are.
int step(State& s, State* apart, const int64_t* at) {
  alignas(KV_ARENA_ALIGN) static unsigned char arena[KV_ARENA_BYTES + 1];
  const int64_t length[2] = {at[0] + 2, at[1] + 2};
  float q[kFresh], k[kFresh], v[kFresh];
  fill(q, kFresh, 1);
  fill(k, kFresh, 2);
  fill(v, kFresh, 3);
  State& to = apart != nullptr ? *apart : s;
  kv_inputs in{};
  in.q = q, in.new_k = k, in.new_v = v, in.past_k = s.k, in.past_v = s.v, in.late = s.late;
  in.start = at, in.length = length;
  kv_outputs out{};
  out.y = to.y, out.present_k = to.k, out.present_v = to.v, out.copied = to.copied,
  out.sum = to.late;
  return kv_run(&in, &out, arena);
}

}  // namespace

int main() {
  static State a, b, c;
  fill(a.k, kCache, 4);
  fill(a.v, kCache, 5);
  fill(a.late, kCache, 6);
  b = a;
  const int64_t first[2] = {0, 9}, second[2] = {2, 11};
  if (step(a, &c, first) != 0 || step(c, &a, second) != 0) return 1;
  if (step(b, nullptr, first) != 0 || step(b, nullptr, second) != 0) return 1;
  return std::memcmp(&a, &b, sizeof a) == 0 ? 0 : 2;
}

// Pools of every size, several at once: the same bits as without threads.
#include <cstdint>
#include <thread>

#include "open.h"
#include "t1.h"
#include "t2.h"
#include "t3.h"
#include "t7.h"
#include "threads.hpp"

namespace {

// A pool of as many threads as are asked for; 0: none.
#define RESULT(model, MODEL)                                                                    \
  std::vector<float> model##_result(std::size_t threads) {                                      \
    const std::vector<float> x = picture();                                                     \
    std::vector<float> y(kOut);                                                                 \
    Memory arena(MODEL##_ARENA_BYTES), memory(MODEL##_POOL_BYTES);                              \
    model##_pool* const pool = threads ? model##_pool_start(memory.start(), threads) : nullptr; \
    const model##_inputs in = {x.data(), pool};                                                 \
    const model##_outputs out = {y.data()};                                                     \
    for (int i = 0; i < 3; ++i)                                                                 \
      if (model##_run(&in, &out, arena.start()) != MODEL##_OK) y.assign(kOut, -1.0f);           \
    model##_pool_stop(pool);                                                                    \
    return y;                                                                                   \
  }
RESULT(t2, T2)
RESULT(t3, T3)
RESULT(t7, T7)

std::vector<float> open_result(std::int64_t batch) {
  const std::vector<float> x = picture();
  std::vector<float> y(kOut);
  Memory arena(OPEN_ARENA_BYTES), memory(OPEN_POOL_BYTES);
  open_pool* const pool = open_pool_start(memory.start(), OPEN_THREADS);
  open_inputs in{};
  open_outputs out{};
  in.x = x.data();
  in.x_dims[0] = batch, in.x_dims[1] = 3, in.x_dims[2] = in.x_dims[3] = 64;
  in.pool_ = pool;
  out.y = y.data();
  out.y_capacity = kOut;
  if (open_run(&in, &out, arena.start()) != OPEN_OK) y.assign(kOut, -1.0f);
  open_pool_stop(pool);
  return y;
}

}  // namespace

int main() {
  const std::vector<float> x = picture();
  std::vector<float> want(kOut);
  Memory arena(T1_ARENA_BYTES);
  const t1_inputs in = {x.data()};
  const t1_outputs out = {want.data()};
  if (t1_run(&in, &out, arena.start()) != T1_OK) return 1;
  if (!(want[0] == want[0]) || want[0] == want[1]) return 2;
  for (std::size_t threads : {0u, 1u, 2u, 5u}) {
    if (!same(t2_result(threads), want)) return 3;
    if (!same(t3_result(threads), want)) return 4;
    if (!same(t7_result(threads), want)) return 5;
  }
  if (!same(t7_result(7), want)) return 6;
  if (!same(open_result(2), want)) return 7;
  // Two models, each with its pool, and two instances of one, at once.
  bool good[3] = {};
  std::thread a([&] { good[0] = same(t3_result(3), want); }),
      b([&] { good[1] = same(t2_result(2), want); });
  good[2] = same(t3_result(3), want);
  a.join();
  b.join();
  if (!good[0] || !good[1] || !good[2]) return 8;
  unsigned char misaligned[65];
  return t2_pool_start(misaligned + (reinterpret_cast<std::uintptr_t>(misaligned) % 64 == 0), 2) ==
                 nullptr
             ? 0
             : 9;
}

// OpenMP: the same bits as without threads.
#include <cstdint>

#include "t1.h"
#include "t2.h"
#include "threads.hpp"

int main() {
  const std::vector<float> x = picture();
  std::vector<float> want(kOut), got(kOut);
  Memory arena(T1_ARENA_BYTES + T2_ARENA_BYTES);
  const t1_inputs in1 = {x.data()};
  const t1_outputs out1 = {want.data()};
  const t2_inputs in2 = {x.data()};
  const t2_outputs out2 = {got.data()};
  if (t1_run(&in1, &out1, arena.start()) != T1_OK || t2_run(&in2, &out2, arena.start()) != T2_OK)
    return 1;
  return same(want, got) ? 0 : 2;
}

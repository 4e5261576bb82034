// Pasts that move on in their own memory, against runs with memory of their own.
#include <cstring>

#include "net.h"

namespace {

struct State {
  float past[6], rows[6], late[6];
};
struct Results {
  float y[10], sum[6];
};

// One run; the pasts may stay where they are.
int step(float first, const State& from, State& to, Results& results) {
  alignas(NET_ARENA_ALIGN) static unsigned char arena[NET_ARENA_BYTES + 1];
  const float fresh[4] = {first, first + 1, first + 2, first + 3}, row[2] = {-first, first};
  net_inputs in{};
  in.fresh = fresh, in.past = from.past, in.rows = from.rows, in.row = row, in.late = from.late;
  net_outputs out{};
  out.y = results.y, out.next = to.past, out.next_rows = to.rows, out.sum = results.sum;
  float late[6];
  out.late_next = late;
  const int status = net_run(&in, &out, arena);
  std::memcpy(to.late, late, sizeof late);
  return status;
}

}  // namespace

int main() {
  State apart{}, there{}, in_place{};
  Results want{}, got{};
  for (int i = 0; i < 6; ++i) {
    const float first = static_cast<float>(4 * i);
    if (step(first, apart, there, want) != 0) return 1;
    apart = there;
    if (step(first, in_place, in_place, got) != 0) return 1;
    if (std::memcmp(&apart, &in_place, sizeof apart) != 0) return 2;
    if (std::memcmp(&want, &got, sizeof want) != 0) return 3;
  }
  return in_place.past[5] == 23 && in_place.rows[4] == -20 ? 0 : 4;
}

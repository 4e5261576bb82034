// Memory from a caller's functions, each call of which fails in turn; sizes out of bounds write
// nothing.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "bounded.h"
#include "join.h"
#include "pick.h"

namespace {

struct Counter {
  int left = -1;  // calls until one fails; -1: never
  int calls = 0, alive = 0;
};

void* take(void* context, std::size_t bytes) {
  auto& c = *static_cast<Counter*>(context);
  ++c.calls;
  if (c.left == 0) return nullptr;
  if (c.left > 0) --c.left;
  ++c.alive;
  return std::malloc(bytes);
}
void give(void* context, void* memory) {
  --static_cast<Counter*>(context)->alive;
  std::free(memory);
}

int failures = 0;
void expect(bool good, const char* what) {
  if (good) return;
  std::printf("%s\n", what);
  ++failures;
}

// Fails at every call in turn, then at none.
template <class Run>
void try_all(Run run, int ok, int out_of_memory) {
  Counter all;
  expect(run(all) == ok && all.alive == 0 && all.calls > 0, "runs with memory");
  for (int k = 0; k < all.calls; ++k) {
    Counter c;
    c.left = k;
    expect(run(c) == out_of_memory, "says that there is no memory");
    expect(c.alive == 0, "gives everything back");
  }
}

alignas(64) unsigned char arena[1 << 16];

int run_pick(Counter& c) {
  const float x[6] = {1, 2, 3, 4, 5, 6};
  const bool take_row[3] = {true, false, true};
  const pick_allocator allocator = {take, give, &c};
  float y[6] = {};
  std::int64_t dims[2] = {};
  pick_inputs in{};
  in.x = x;
  in.x_dims[0] = 3;
  in.x_dims[1] = 2;
  in.c = take_row;
  in.c_dims[0] = 3;
  in.allocator_ = &allocator;
  pick_outputs out{};
  out.y = y;
  out.y_capacity = 6;
  out.y_dims = dims;
  const int status = pick_run(&in, &out, arena);
  if (status == PICK_OK)
    expect(dims[0] == 2 && dims[1] == 2 && y[0] == 1 && y[1] == 2 && y[2] == 5 && y[3] == 6,
           "picks");
  return status;
}

int run_join(Counter& c) {
  const join_string a[2] = {{"a\0b", 3}, {"", 0}}, b[3] = {{"1", 1}, {"22", 2}, {nullptr, 0}};
  const join_allocator allocator = {take, give, &c};
  join_string y[6] = {};
  char text[64];
  const join_inputs in = {a, b, &allocator};
  join_outputs out{};
  out.y = y;
  out.y_text = text;
  out.y_text_capacity = sizeof text;
  const int status = join_run(&in, &out, arena);
  if (status == JOIN_OK)
    expect(y[1].size == 5 && std::memcmp(y[1].data, "a\0b22", 5) == 0 && y[5].size == 0, "joins");
  return status;
}

int run_bounded(std::int64_t rows, std::size_t room, float* y, std::int64_t* dims) {
  static const float x[64] = {1, 2, 3, 4, 5, 6};
  static const bool take_row[64] = {true, false, true};
  bounded_inputs in{};
  in.x = x;
  in.x_dims[0] = rows;
  in.x_dims[1] = 2;
  in.c = take_row;
  in.c_dims[0] = 3;
  bounded_outputs out{};
  out.y = y;
  out.y_capacity = room;
  out.y_dims = dims;
  return bounded_run(&in, &out, arena);
}

}  // namespace

int main() {
  try_all(run_pick, PICK_OK, PICK_OUT_OF_MEMORY);
  try_all(run_join, JOIN_OK, JOIN_OUT_OF_MEMORY);
  float y[12] = {};
  std::int64_t dims[2] = {-1, -1};
  expect(run_bounded(5, 12, y, dims) == BOUNDED_BAD_SHAPE && y[0] == 0 && dims[0] == -1, "bound");
  expect(run_bounded(INT64_MAX, 12, y, dims) == BOUNDED_BAD_SHAPE, "huge");
  expect(run_bounded(-1, 12, y, dims) == BOUNDED_BAD_SHAPE, "negative");
  expect(run_bounded(3, 3, y, dims) == BOUNDED_TOO_SMALL && dims[0] == 2 && dims[1] == 2, "room");
  expect(run_bounded(3, 4, y, dims) == BOUNDED_OK && y[2] == 5, "bounded");
  return failures;
}

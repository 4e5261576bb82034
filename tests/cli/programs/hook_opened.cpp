// A model with memory from the heap, which is free again wherever the call ends.
#include "hook.hpp"

struct Result {
  float y[2];
};
static int blocks;
static void* take(void*, size_t bytes) { return ++blocks, std::malloc(bytes); }
static void give(void*, void* memory) { --blocks, std::free(memory); }

int main() {
  const float x[3] = {1, 0, 2};
  const opened_allocator allocator = {take, give, nullptr};
  const auto run = [&](const opened_hook* hook, Result& r) {
    opened_inputs in = {};
    in.x = x, in.x_dims[0] = 3, in.allocator_ = &allocator, in.hook_ = hook;
    opened_outputs out = {};
    out.y = r.y, out.y_capacity = 2;
    const opened_status status = opened_run(&in, &out, arena);
    if (blocks != 0) std::abort();
    return status;
  };
  Result want = {};
  REQUIRE(run(nullptr, want) == OPENED_OK);
  return cancel_everywhere(run, want);
}

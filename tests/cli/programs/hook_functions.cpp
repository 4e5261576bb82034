// A model with functions and a loop, ended at every step.
#include "hook.hpp"

struct Result {
  float y[16];
};

int main() {
  float x[16];
  for (int i = 0; i < 16; ++i) x[i] = static_cast<float>(i % 5) - 2.0f;
  const auto run = [&](const functions_hook* hook, Result& r) {
    functions_inputs in = {};
    in.x = x, in.hook_ = hook;
    const functions_outputs out = {r.y};
    return functions_run(&in, &out, arena);
  };
  Result want = {};
  REQUIRE(run(nullptr, want) == FUNCTIONS_OK);
  return cancel_everywhere(run, want);
}

// training_app.cpp - trains the model as the host did, and compares states and losses. With
// LEARNS, the mean loss of the last 20 of 300 steps must be at most that part of the first steps'
// loss. With MOST, a step may take at most that many times the instructions of a run.
#include <cstdint>
#include <cstring>

#include "startup.hpp"
#include "state.h"
#include "systick.hpp"
#include "training.hpp"

namespace {

int fails(const char* what) {
  print(what);
  return 1;
}

bool is_near(float v, float want) {
  const float size = want < 0 ? -want : want, error = v < want ? want - v : v - want;
  return error <= 1e-4f * (size > 1.0f ? size : 1.0f);
}

bool has_state_of_host() {
  const unsigned char* at = state + FIRST_FLOAT;
  for (float want : kState) {
    float v;
    std::memcpy(&v, at, sizeof v);
    at += sizeof v;
    if (!is_near(v, want)) return false;
  }
  return true;
}

#ifdef LEARNS
bool learns() {
  constexpr int kLast = 20;
  float loss = 0, first = 0, sum = 0;
  if (net_init(state, 0, arena) != NET_OK) return false;
  for (int i = 0; i < 300; ++i) {
    if (!train_step(loss)) return false;
    if (i == 0) first = loss;
    if (i >= 300 - kLast) sum += loss;
  }
  return sum / kLast <= LEARNS * first;
}
#endif

#ifdef MOST
template <class F>
std::uint32_t ticks_of(F f) {
  systick::start();
  const std::uint32_t begin = systick::ticks();
  for (int i = 0; i < 10; ++i) f();
  return systick::since(begin);
}

bool costs_little() {
  static float x[digits::kPixels];
  const std::int64_t kind = 3;
  float y[CLASSES], loss = 0;
  net_inputs run_in = {};
  run_in.x = x;
  run_in.state_ = state;
  net_outputs run_out = {};
  run_out.y = y;
  net_train_inputs in = {};
  in.x = x;
  in.labels = &kind;
  bool right = true;
  const std::uint32_t run =
      ticks_of([&] { right = net_run(&run_in, &run_out, arena) == NET_OK && right; });
  const std::uint32_t step = ticks_of([&] { right = train_on(in, loss) && right; });
  return right && run > 1000 && static_cast<float>(step) <= MOST * static_cast<float>(run);
}
#endif

}  // namespace

extern "C" int app_main() {
  float loss = 0;
  if (!train(loss)) return fails("a step fails\n");
  if (!is_near(loss, kLoss)) return fails("the loss differs from the host's\n");
  if (!has_state_of_host()) return fails("the state differs from the host's\n");
#ifdef LEARNS
  if (!learns()) return fails("learns too little\n");
#endif
#ifdef MOST
  if (!costs_little()) return fails("a step takes too many instructions\n");
#endif
  print("equal\n");
  return 0;
}

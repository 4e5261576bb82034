// trained.hpp - what the programs that train a generated model `net` share: its memory, saving and
// loading midway, and the file with its state.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "net.h"

namespace trained {

[[noreturn]] inline void fail(const char* what) {
  std::fprintf(stderr, "training: %s\n", what);
  std::exit(1);
}

alignas(NET_STATE_ALIGN) inline unsigned char state[NET_STATE_BYTES];
alignas(NET_ARENA_ALIGN) inline unsigned char arena[NET_TRAIN_ARENA_BYTES > NET_ARENA_BYTES
                                                        ? NET_TRAIN_ARENA_BYTES
                                                        : NET_ARENA_BYTES];

#ifdef NET_THREADS
inline net_pool* start_pool() {
  alignas(NET_ARENA_ALIGN) static unsigned char memory[NET_POOL_BYTES];
  return net_pool_start(memory, NET_THREADS);
}
inline net_pool* const pool = start_pool();  // until the program ends
#endif

inline float step(net_train_inputs in) {
#ifdef NET_THREADS
  in.pool_ = pool;
#endif
  float loss = 0;
  net_train_outputs out{};
  out.loss = &loss;
  if (net_train(&in, &out, state, arena) != NET_OK) fail("a step fails");
  if (!(loss - loss == 0)) fail("the loss is not finite");
  return loss;
}

// train(first, last) computes these steps; a state loaded midway must lead to the same bits.
// Returns what the second half returns.
template <class Train>
auto train_twice(int steps, Train train) {
  if (net_init(state, 0, arena) != NET_OK) fail("init fails");
  train(0, steps / 2);
  const std::vector<unsigned char> saved(state, state + sizeof state);
  const auto result = train(steps / 2, steps);
  const std::vector<unsigned char> whole(state, state + sizeof state);
  std::memcpy(state, saved.data(), sizeof state);
  train(steps / 2, steps);
  if (std::memcmp(whole.data(), state, sizeof state) != 0) fail("a loaded state goes elsewhere");
  return result;
}

inline void write_state(const char* path) {
  std::FILE* file = std::fopen(path, "wb");
  if (file == nullptr || std::fwrite(state, 1, sizeof state, file) != sizeof state ||
      std::fclose(file) != 0)
    fail("cannot write the state");
}

}  // namespace trained

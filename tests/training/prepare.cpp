// Trains a prepared perceptron on one sample and checks that the loss goes down.
// Usage: prepare RATIO: the last loss is at most RATIO times the first one.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "net.h"

namespace {

alignas(NET_STATE_ALIGN) unsigned char state[NET_STATE_BYTES];
alignas(NET_ARENA_ALIGN) unsigned char arena[NET_TRAIN_ARENA_BYTES + 1];

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 || net_init(state, 0, arena) != NET_OK) return 2;
  const float lengths[4] = {6.1f, 2.9f, 4.7f, 1.4f};
#ifdef LABEL
  const std::int64_t labels[1] = {LABEL};
#else
  const float labels[3] = {0.0f, 0.25f, 0.75f};
#endif
  float first = 0.0f, last = 0.0f;
  for (int i = 0; i < 200; ++i) {
    net_train_inputs in{};
    in.lengths = lengths;
    in.labels = labels;
#ifdef RATE
    const float rate = RATE;
    in.learning_rate = &rate;
#endif
    net_train_outputs out{};
    out.loss = &last;
    if (net_train(&in, &out, state, arena) != NET_OK) return 3;
    if (i == 0) first = last;
  }
  std::printf("loss %.4f -> %.4f\n", static_cast<double>(first), static_cast<double>(last));
  return static_cast<double>(last) <= std::atof(argv[1]) * static_cast<double>(first) ? 0 : 1;
}

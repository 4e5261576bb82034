// Trains a generated model `net` with inputs x [30,4], t [30,3] and the output loss; it predicts y
// [30,3]. Usage: learn STEPS ACCURACY LOSS STATE: checks both bounds, that a state saved and loaded
// midway leads to the same bits, that a block that is not a state is refused, and writes the state.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "net.h"

namespace {

constexpr int kBatch = 30, kTrain = 150, kTest = 600;

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "learn: %s\n", what);
  std::exit(1);
}

// Uniform and normal numbers that are the same everywhere.
class Random {
 public:
  double uniform() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state_ >> 11) * 0x1p-53;
  }
  double normal() {
    double sum = 0;
    for (int i = 0; i < 12; ++i) sum += uniform();
    return sum - 6;
  }

 private:
  unsigned long long state_ = 20240607;
};

struct Data {
  std::vector<float> x, t;
  std::vector<int> kind;
};

// Points around three centres, with the means and deviations of Fisher's irises.
Data points(Random& random, int count) {
  constexpr double kMean[3][4] = {
      {5.01, 3.43, 1.46, 0.25}, {5.94, 2.77, 4.26, 1.33}, {6.59, 2.97, 5.55, 2.03}};
  constexpr double kDeviation[3][4] = {
      {0.35, 0.38, 0.17, 0.11}, {0.52, 0.31, 0.47, 0.20}, {0.64, 0.32, 0.55, 0.27}};
  Data d;
  for (int i = 0; i < count; ++i) {
    const int kind = static_cast<int>(random.uniform() * 3);
    for (int k = 0; k < 4; ++k)
      d.x.push_back(static_cast<float>(kMean[kind][k] + kDeviation[kind][k] * random.normal()));
    for (int k = 0; k < 3; ++k) d.t.push_back(k == kind ? 1.0f : 0.0f);
    d.kind.push_back(kind);
  }
  return d;
}

alignas(NET_STATE_ALIGN) unsigned char state[NET_STATE_BYTES];
alignas(NET_ARENA_ALIGN) unsigned char arena[NET_TRAIN_ARENA_BYTES > NET_ARENA_BYTES
                                                 ? NET_TRAIN_ARENA_BYTES
                                                 : NET_ARENA_BYTES];

#ifdef NET_THREADS
net_pool* start_pool() {
  alignas(NET_ARENA_ALIGN) static unsigned char memory[NET_POOL_BYTES];
  return net_pool_start(memory, NET_THREADS);
}
net_pool* const pool = start_pool();  // until the program ends
#endif

// The mean loss of the last pass over the data.
double train(const Data& data, int first, int last) {
  double sum = 0;
  int counted = 0;
  for (int step = first; step < last; ++step) {
    const int row = step % (kTrain / kBatch) * kBatch;
    float loss = 0;
    net_train_inputs in{};
    in.x = &data.x[static_cast<std::size_t>(row) * 4];
    in.t = &data.t[static_cast<std::size_t>(row) * 3];
#ifdef NET_THREADS
    in.pool_ = pool;
#endif
    net_train_outputs out{};
    out.loss = &loss;
    if (net_train(&in, &out, state, arena) != NET_OK) fail("a step fails");
    if (!std::isfinite(loss)) fail("the loss is not finite");
    if (step + kTrain / kBatch >= last) {
      sum += static_cast<double>(loss);
      ++counted;
    }
  }
  return sum / counted;
}

double accuracy(const Data& data) {
  int right = 0;
  for (int row = 0; row < kTest; row += kBatch) {
    float y[kBatch * 3];
    net_inputs in{};
    in.x = &data.x[static_cast<std::size_t>(row) * 4];
    in.state_ = state;
    net_outputs out{};
    out.y = y;
    if (net_run(&in, &out, arena) != NET_OK) fail("a run fails");
    for (int i = 0; i < kBatch; ++i) {
      int best = 0;
      for (int k = 1; k < 3; ++k)
        if (y[i * 3 + k] > y[i * 3 + best]) best = k;
      right += best == data.kind[static_cast<std::size_t>(row + i)];
    }
  }
  return static_cast<double>(right) / kTest;
}

void check_refusals() {
  net_train_inputs in{};
  net_train_outputs out{};
  const float zeros[kBatch * 4] = {};
  in.x = in.t = zeros;
  std::vector<unsigned char> before(state, state + sizeof state);
  state[8] ^= 1;  // of the layout
  if (net_train(&in, &out, state, arena) != NET_BAD_STATE) fail("a wrong block is taken");
  state[8] ^= 1;
  in.t = nullptr;
  if (net_train(&in, &out, state, arena) != NET_BAD_ARGUMENT) fail("a null pointer is taken");
  if (std::memcmp(before.data(), state, sizeof state) != 0) fail("an error changes the state");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) fail("four arguments");
  const int steps = std::atoi(argv[1]);
  Random random;
  const Data training = points(random, kTrain), test = points(random, kTest);
  if (net_init(state, 0, arena) != NET_OK) fail("init fails");
  check_refusals();
  train(training, 0, steps / 2);
  const std::vector<unsigned char> saved(state, state + sizeof state);
  const double loss = train(training, steps / 2, steps);
  const std::vector<unsigned char> whole(state, state + sizeof state);
  std::memcpy(state, saved.data(), sizeof state);
  train(training, steps / 2, steps);
  if (std::memcmp(whole.data(), state, sizeof state) != 0) fail("a loaded state goes elsewhere");
  const double right = accuracy(test);
  std::printf("%d steps: loss %.4f, accuracy %.1f %%\n", steps, loss, right * 100);
  if (right < std::atof(argv[2])) fail("the accuracy is too low");
  if (loss > std::atof(argv[3])) fail("the loss is too high");
  std::FILE* file = std::fopen(argv[4], "wb");
  if (file == nullptr || std::fwrite(state, 1, sizeof state, file) != sizeof state ||
      std::fclose(file) != 0)
    fail("cannot write the state");
  return 0;
}

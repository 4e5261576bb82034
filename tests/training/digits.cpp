// Trains the model `digits` of tasks.case, or its last layer, to classify digits.
// usage: digits STEPS BATCH FIRST COUNT SAMPLES ACCURACY STATE [SCRIPT]: of the digits [FIRST,
// FIRST + COUNT), SAMPLES images are learned; the accuracy is that of 1000 others. SCRIPT, for sed,
// puts the learned convolutions into a model that is text.
#include "tests/training/digits.hpp"

#include "tests/training/trained.hpp"

namespace {

constexpr int kTest = 1000, kMaxBatch = 20;

struct Images {
  std::vector<float> pixels;
  std::vector<std::int64_t> kinds;

  Images(int count, int first, int kinds_count, std::uint32_t seed)
      : pixels(static_cast<std::size_t>(count) * digits::kPixels),
        kinds(static_cast<std::size_t>(count)) {
    digits::Source source(seed);
    for (std::size_t i = 0; i < kinds.size(); ++i)
      kinds[i] = source.draw(first, kinds_count, &pixels[i * digits::kPixels]);
  }
  const float* image(int i) const { return &pixels[static_cast<std::size_t>(i) * digits::kPixels]; }
};

void set_dims(std::int64_t (&dims)[4], int batch) {
  dims[0] = batch;
  dims[1] = 1;
  dims[2] = dims[3] = digits::kSide;
}

void train(const Images& images, int batch, int first, int last) {
  const int batches = static_cast<int>(images.kinds.size()) / batch;
  for (int i = first; i < last; ++i) {
    const int at = i % batches * batch;
    net_train_inputs in{};
    in.x = images.image(at);
    in.labels = &images.kinds[static_cast<std::size_t>(at)];
    set_dims(in.x_dims, batch);
    in.labels_dims[0] = batch;
    trained::step(in);
  }
}

double accuracy(const Images& images) {
  int right = 0;
  for (int i = 0; i < kTest; ++i) {
    float y[16];
    net_inputs in{};
    in.x = images.image(i);
    set_dims(in.x_dims, 1);
    in.state_ = trained::state;
    net_outputs out{};
    std::int64_t dims[2];
    out.y = y;
    out.y_capacity = 16;
    out.y_dims = dims;
    if (net_run(&in, &out, trained::arena) != NET_OK) trained::fail("a run fails");
    int best = 0;
    for (int k = 1; k < dims[1]; ++k)
      if (y[k] > y[best]) best = k;
    right += best == images.kinds[static_cast<std::size_t>(i)];
  }
  return static_cast<double>(right) / kTest;
}

#ifdef NET_STATE_CONV1_W
void write_values(std::FILE* to, const char* name, std::size_t at, std::size_t end) {
  std::fprintf(to, "s|%s = [a-z]*([^)]*)|%s = {", name, name);
  for (const char* comma = ""; at < end; at += sizeof(float), comma = ", ") {
    float v;
    std::memcpy(&v, trained::state + at, sizeof v);
    std::fprintf(to, "%s%.9g", comma, static_cast<double>(v));
  }
  std::fprintf(to, "}|\n");
}

void write_script(const char* path) {
  std::FILE* const to = std::fopen(path, "w");
  if (to == nullptr) trained::fail("cannot write the script");
  write_values(to, "conv1_w", NET_STATE_CONV1_W, NET_STATE_CONV1_B);
  write_values(to, "conv1_b", NET_STATE_CONV1_B, NET_STATE_CONV2_W);
  write_values(to, "conv2_w", NET_STATE_CONV2_W, NET_STATE_CONV2_B);
  write_values(to, "conv2_b", NET_STATE_CONV2_B, NET_STATE_FC_W);
  if (std::fclose(to) != 0) trained::fail("cannot write the script");
}
#else
void write_script(const char*) { trained::fail("the convolutions are frozen"); }
#endif

}  // namespace

int main(int argc, char** argv) {
  if (argc != 8 && argc != 9) trained::fail("seven or eight arguments");
  const int steps = std::atoi(argv[1]), batch = std::atoi(argv[2]);
  const int first = std::atoi(argv[3]), count = std::atoi(argv[4]), samples = std::atoi(argv[5]);
  if (batch > kMaxBatch || samples < batch) trained::fail("wrong arguments");
  const Images training(samples, first, count, 1), test(kTest, first, count, 2);
  trained::train_twice(steps, [&](int from, int to) {
    train(training, batch, from, to);
    return 0;
  });
  const double right = accuracy(test);
  std::printf("%d steps: accuracy %.1f %%\n", steps, right * 100);
  if (right < std::atof(argv[6])) trained::fail("the accuracy is too low");
  trained::write_state(argv[7]);
  if (argc == 9) write_script(argv[8]);
  return 0;
}

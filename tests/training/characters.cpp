// Trains a model over characters, batches of 8 times 32, to say which character comes next.
// usage: characters STEPS LOSS STATE TEXT...: the mean loss of the last 20 steps is at most LOSS.
#include <string>

#include "tests/training/trained.hpp"

namespace {

constexpr int kBatch = 8, kTime = 32, kLast = 20;

// The printable characters of ASCII; everything else is a space.
std::vector<std::int64_t> read_text(int count, char** paths) {
  std::vector<std::int64_t> text;
  for (int i = 0; i < count; ++i) {
    std::FILE* file = std::fopen(paths[i], "rb");
    if (file == nullptr) trained::fail("cannot read the text");
    for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file))
      text.push_back(c >= 32 && c < 127 ? c - 32 : c == '\n' ? 95 : 0);
    std::fclose(file);
  }
  return text;
}

double train(const std::vector<std::int64_t>& text, int first, int last) {
  double sum = 0;
  const auto starts = static_cast<std::uint32_t>(text.size() - kTime - 1);
  for (int i = first; i < last; ++i) {
    std::int64_t x[kBatch * kTime], labels[kBatch * kTime];
    std::uint32_t seed = static_cast<std::uint32_t>(i) * 2654435761u + 1;
    for (int b = 0; b < kBatch; ++b) {
      seed = seed * 1664525u + 1013904223u;
      const std::size_t at = (seed >> 8) % starts;
      for (std::size_t t = 0; t < kTime; ++t) {
        x[static_cast<std::size_t>(b) * kTime + t] = text[at + t];
        labels[static_cast<std::size_t>(b) * kTime + t] = text[at + t + 1];
      }
    }
    net_train_inputs in{};
    in.x = x;
    in.labels = labels;
    const float loss = trained::step(in);
    if (i >= last - kLast) sum += static_cast<double>(loss);
  }
  return sum / kLast;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) trained::fail("four arguments");
  const int steps = std::atoi(argv[1]);
  const std::vector<std::int64_t> text = read_text(argc - 4, argv + 4);
  const double loss =
      trained::train_twice(steps, [&](int from, int to) { return train(text, from, to); });
  std::printf("%d steps: loss %.3f\n", steps, loss);
  if (loss > std::atof(argv[2])) trained::fail("the loss is too high");
  trained::write_state(argv[3]);
  return 0;
}

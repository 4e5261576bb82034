// Which flower is this? The network was trained by make_model.py and compiled by onnxc.
#include <cstdio>

#include "flowers.h"

alignas(FLOWERS_ARENA_ALIGN) static unsigned char arena[FLOWERS_ARENA_BYTES + 1];

int main() {
  static const char* const kNames[] = {"setosa", "versicolor", "virginica"};
  const float lengths[4] = {6.1f, 2.9f, 4.7f, 1.4f};  // sepal and petal, cm
  float probability[3];
  if (flowers::run(lengths, probability, arena) != FLOWERS_OK) return 1;
  int best = 0;
  for (int i = 0; i < 3; ++i) {
    std::printf("%-10s %5.1f %%\n", kNames[i], 100.0 * static_cast<double>(probability[i]));
    if (probability[i] > probability[best]) best = i;
  }
  std::printf("It is a %s.\n", kNames[best]);
  return 0;
}

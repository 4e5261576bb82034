// Which shape is in the picture? The network was trained by make_model.py and compiled by onnxc.
#include <cstdio>

#include "picture.h"
#include "shapes.h"

alignas(SHAPES_ARENA_ALIGN) static unsigned char arena[SHAPES_ARENA_BYTES + 1];

int main() {
  static const char* const kNames[] = {"disc", "ring", "square", "cross"};
  for (int i = 0; i < 256; ++i) {
    std::printf("%s%s", kPicture[i] > 0.5f ? "##" : "..", i % 16 == 15 ? "\n" : "");
  }
  float probability[4];
  if (shapes::run(kPicture, probability, arena) != SHAPES_OK) return 1;
  int best = 0;
  for (int i = 1; i < 4; ++i) {
    if (probability[i] > probability[best]) best = i;
  }
  std::printf("It is a %s (%.1f %%).\n", kNames[best],
              100.0 * static_cast<double>(probability[best]));
  return 0;
}

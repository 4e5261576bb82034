// pcm_keywords_host.cpp - runs the stream on this machine and prints what came of it as wanted.h.
#include <cstdio>

#include "pcm_keywords.hpp"

int main() {
  using namespace stream;
  std::printf(
      "#pragma once\nstruct Wanted { float row[%d]; signed char bytes[%d], scores[%d]; };\n", kRow,
      kRow, kScores);
  std::printf("static const Wanted kWanted[%d] = {\n", kCalls);
  for (int call = 0; call < kCalls; ++call) {
    next_samples(call);
    if (!run()) return 1;
    std::printf("{{");
    for (const float v : row) std::printf("%.9ef, ", static_cast<double>(v));
    std::printf("}, {");
    for (int i = kRows - kRow; i < kRows; ++i) std::printf("%d, ", past_rows[i]);
    std::printf("}, {");
    for (const int v : scores) std::printf("%d, ", v);
    std::printf("}},\n");
  }
  std::printf("};\n");
  return 0;
}

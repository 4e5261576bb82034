// All that run() takes: pointers, arrays, containers; and what the code says of itself.
#include <array>
#include <cstring>
#include <vector>
#if __cplusplus >= 202002L
#include <span>
#endif

#include "flowers.h"

alignas(flowers::arena_align) static unsigned char arena[flowers::arena_bytes];

static bool good(const float* p) { return p[1] > 0.9f; }

int main() {
  const float lengths[4] = {6.1f, 2.9f, 4.7f, 1.4f};
  float p[3] = {};
  if (flowers::run(lengths, p, arena) != FLOWERS_OK || !good(p)) return 1;
  const float image[1][2][2] = {{{6.1f, 2.9f}, {4.7f, 1.4f}}};
  float q[1][1][3] = {};
  if (flowers::run(image, q, arena) != FLOWERS_OK || !good(q[0][0])) return 2;
  std::vector<float> v(lengths, lengths + 4), w(3);
  if (flowers::run(v, w, arena) != FLOWERS_OK || !good(w.data())) return 3;
  w.assign(3, 0);
  if (flowers::run(v.data(), w.data(), arena) != FLOWERS_OK || !good(w.data())) return 4;
  std::array<float, 4> a = {{6.1f, 2.9f, 4.7f, 1.4f}};
  if (flowers::run(a, w, arena) != FLOWERS_OK) return 5;
  const std::vector<float> constant = v;
  if (flowers::run(constant, w, arena) != FLOWERS_OK) return 6;
  if (flowers::run(std::vector<float>(5), w, arena) != FLOWERS_BAD_ARGUMENT) return 7;
#if __cplusplus >= 202002L
  if (flowers::run(std::span<const float>(v), std::span(w), arena) != FLOWERS_OK) return 8;
  if (flowers::run(std::span(lengths), std::span<float, 3>(p), arena) != FLOWERS_OK) return 9;
  if (flowers::run(std::span(v).first(3), w, arena) != FLOWERS_BAD_ARGUMENT) return 10;
#endif
  const flowers::inputs in = {lengths};
  const flowers::outputs out = {p};
  if (flowers::run(in, out, arena) != FLOWERS_OK) return 11;
  static_assert(flowers::in::lengths::shape[1] == 4 && flowers::out::probability::rank == 2, "");
  if (std::strcmp(flowers::in::lengths::name, "lengths") != 0) return 12;
  flowers::out::probability::type one = p[0];
  if (!(one < 0.1f)) return 13;
  if (std::strcmp(flowers::status_text(FLOWERS_BAD_ARGUMENT),
                  "a null pointer or a misaligned arena") != 0)
    return 14;
  const flowers::model_info& info = flowers::info();
  if (info.input_count != 1 || info.inputs[0].rank != 2 || info.inputs[0].dims[1] != 4) return 15;
  if (info.arena_bytes != FLOWERS_ARENA_BYTES || info.api_version != FLOWERS_API_VERSION) return 16;
  return std::strcmp(info.outputs[0].type, "f32[1,3]") != 0;
}

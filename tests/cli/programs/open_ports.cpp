// run() of C++ for tensors with open dimensions: containers, arrays and pointers with dimensions,
// and what it says of wrong ones.
#include <cstring>
#include <vector>

#include "open/ports.h"

static bool is_bad(const ports::bad_size& why, const char* port, int axis, int64_t size,
                   int64_t wanted) {
  return why.port != nullptr && std::strcmp(why.port, port) == 0 && why.axis == axis &&
         why.size == size && why.wanted == wanted;
}

int main() {
  const unsigned batch = 2;
  const long length = 3;
  std::vector<float> x(24, 0.5f), y(18), row(4, 0.5f);
  float bias[3] = {1, 2, 3};
  int64_t dims[3];
  ports::bad_size why = {};
  if (ports::run({x, {batch, length, 4}}, bias, {y, dims}, nullptr, &why) != PORTS_OK) return 1;
  if (dims[0] != 2 || dims[1] != 3 || dims[2] != 3 || y[2] != 0.5f * (2 + 5 + 8 + 11) + 3) return 2;
  // Pointers are believed; dimensions of the result are optional.
  if (ports::run({x.data(), {2, 3, 4}}, bias, y, nullptr) != PORTS_OK) return 3;
  if (ports::run({x.data(), {2, 3, 4}}, bias, {y.data(), y.size()}, nullptr) != PORTS_OK) return 4;
  if (ports::run({row, {1, 1, 4}}, bias, {y.data(), 3, dims}, nullptr) != PORTS_OK) return 5;
  // A container of another size, a wrong dimension, and an output that is too small.
  if (ports::run({row, {2, 1, 4}}, bias, y, nullptr) != PORTS_BAD_ARGUMENT) return 6;
  if (ports::run({x.data(), {2, 3, 5}}, bias, y, nullptr, &why) != PORTS_BAD_SHAPE) return 7;
  if (!is_bad(why, "x", 2, 5, 4)) return 8;
  if (ports::run({x, {2, 3, 4}}, bias, row, nullptr, &why) != PORTS_TOO_SMALL) return 9;
  if (!is_bad(why, "y", -1, 4, 18)) return 10;
  // A single open dimension follows from the size.
  std::vector<float> rows(12, 0.5f);
  const ports::tensor<const float, -1, 4> table = rows;
  return table.dim(0) == 3 && table.dim(1) == 4 && table.data() == rows.data() ? 0 : 11;
}

// weights.cpp - how code knows its file of weights.
#include "runtime_min/weights.hpp"

#include <catch2/catch.hpp>

namespace onnxc {

TEST_CASE("a file of weights says which program reads it", "[weights]") {
  alignas(64) WeightsHeader header = {kWeightsMagic, 7, {}, {}};
  CHECK(is_weights(&header, 7));
  CHECK_FALSE(is_weights(&header, 8));
  header.magic ^= 1;
  CHECK_FALSE(is_weights(&header, 7));
  const unsigned char plain[sizeof(WeightsHeader)] = {};
  CHECK_FALSE(is_weights(plain, 0));
}

}  // namespace onnxc

// gather_blocks.cpp - rows of tables quantized by blocks, and fn::dequantize, against naive loops.
#include "templates/quantization/gather_blocks.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "templates/fn/quantize.hpp"
#include "tests/kernels/test_data.hpp"

namespace {

using kernel_test::at;
using kernel_test::values;
using onnxc::Index;
using onnxc::Status;
using Bytes = std::vector<std::uint8_t>;

struct Table {
  Index count = 3, rows = 4, lines = 2, width = 5, block = 2;
};

// Number i of a line of 4-bit numbers, the first in the low half of a byte.
int nibble(const Bytes& bytes, Index line, Index line_bytes, Index i) {
  const std::uint8_t byte = bytes.at(static_cast<std::size_t>(line * line_bytes + i / 2));
  return i % 2 == 0 ? byte & 15 : byte >> 4;
}

}  // namespace

TEST_CASE("gather_blocks of packed 4-bit numbers", "[quantization]") {
  const Table s;
  Bytes x, zeros;
  for (int i = 0; i < 24; ++i) x.push_back(static_cast<std::uint8_t>(i * 37 + 5));
  for (int i = 0; i < 16; ++i) zeros.push_back(static_cast<std::uint8_t>(i * 53 + 1));
  const std::vector<float> scales = values(24, 1);
  const std::int64_t ids[] = {2, -1, 0}, low[] = {0, -5, 0}, high[] = {0, 4, 0};
  for (bool with_zeros : {false, true}) {
    const std::uint8_t* const z = with_zeros ? zeros.data() : nullptr;
    std::vector<float> y(30);
    REQUIRE(onnxc::gather_blocks<4>(s, x.data(), ids, scales.data(), z, y.data()) == Status::ok);
    for (Index i = 0; i < 30; ++i) {
      const Index row = ids[i / 10] < 0 ? 3 : static_cast<Index>(ids[i / 10]);
      const Index line = row * s.lines + i / 5 % 2, j = i % 5;
      const int zero = z == nullptr ? 8 : nibble(zeros, line, 2, j / 2);
      CHECK(at(y, i) == Approx((nibble(x, line, 3, j) - zero) * at(scales, line * 3 + j / 2)));
    }
    CHECK(onnxc::gather_blocks<4>(s, x.data(), low, scales.data(), z, y.data()) ==
          Status::bad_index);
    CHECK(onnxc::gather_blocks<4>(s, x.data(), high, scales.data(), z, y.data()) ==
          Status::bad_index);
  }
}

TEST_CASE("dequantize", "[quantization]") {
  for (int q = -128; q < 256; ++q) {
    const double want = (q - 3) * 0.125;  // exact
    CHECK(static_cast<double>(onnxc::fn::dequantize(q, 3.0f, 0.125f)) == want);
    CHECK(static_cast<double>(onnxc::fn::dequantize(static_cast<float>(q), 3.0f, 0.125f)) == want);
    float lanes[onnxc::kLanes];
    onnxc::store(lanes, onnxc::fn::dequantize(
                            onnxc::broadcast<onnxc::vfloat>(static_cast<float>(q)), 3.0f, 0.125f));
    for (float v : lanes) CHECK(static_cast<double>(v) == want);
  }
}

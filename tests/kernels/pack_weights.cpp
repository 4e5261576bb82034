// pack_weights.cpp - the order of packed convolution weights against naive indices.
#include "templates/matmul/pack_weights.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "tests/kernels/test_data.hpp"

namespace {

using onnxc::Index;

struct Weights {
  Index out_c, in_c, k_h, k_w, group;
};

}  // namespace

TEST_CASE("pack_weights", "[convolution]") {
  constexpr Index kPanel = 4;
  const Weights s{10, 6, 3, 2, 2};
  const Index group_out = s.out_c / s.group, group_in = s.in_c / s.group;
  const auto w = kernel_test::values(s.out_c * group_in * s.k_h * s.k_w, 1);
  std::vector<float> packed(
      static_cast<std::size_t>(onnxc::packed_conv2d_size<kPanel>(10, 6, 3, 2, 2)), -7.0f);
  onnxc::pack_weights<kPanel>(s, w.data(), packed.data());
  // [group, panels, k_h, k_w, in_c / group, kPanel], zeros after the last output channel.
  const Index panels = (group_out + kPanel - 1) / kPanel;
  REQUIRE(static_cast<Index>(packed.size()) ==
          s.group * panels * s.k_h * s.k_w * group_in * kPanel);
  for (Index i = 0; i < static_cast<Index>(packed.size()); ++i) {
    const Index lane = i % kPanel, c = i / kPanel % group_in;
    const Index tap = i / (kPanel * group_in) % (s.k_h * s.k_w);
    const Index panel = i / (kPanel * group_in * s.k_h * s.k_w);
    const Index o = panel % panels * kPanel + lane;
    const Index from = ((panel / panels * group_out + o) * group_in + c) * s.k_h * s.k_w + tap;
    CHECK(kernel_test::at(packed, i) == (o < group_out ? kernel_test::at(w, from) : 0.0));
  }
}

TEST_CASE("pack_depthwise_weights", "[convolution]") {
  const Weights s{5, 5, 3, 2, 5};
  const auto w = kernel_test::values(30, 1);
  std::vector<float> packed(30);
  onnxc::pack_depthwise_weights(s, w.data(), packed.data());
  for (Index i = 0; i < 30; ++i)
    CHECK(kernel_test::at(packed, i) == kernel_test::at(w, i % 5 * 6 + i / 5));
}

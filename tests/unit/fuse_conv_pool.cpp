// fuse_conv_pool: which convolutions and pools become one step.
#include "compiler/schedule/fuse_conv_pool.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/fused_kernels.hpp"

namespace onnxc {
namespace {

// Kernels of x [1,channels,h,h] after a convolution to 4 channels, Relu and MaxPool.
std::vector<std::string> kernels(int channels, const std::string& h, const std::string& results) {
  const std::string c = std::to_string(channels);
  std::string w = "1";
  for (int i = 1; i < 4 * channels * 3; ++i) w += ", 1";
  const std::string text = "graph \"g\" (%x: f32[1," + c + "," + h + "," + h + "]) -> (" + results +
                           ") {\n  const %w = dense<f32[4," + c + ",3,1]: " + w + R"(>
  %a = Conv(%x, %w) {pads = [1, 0, 1, 0]}
  %r = Relu(%a)
  %y = MaxPool(%r) {kernel_shape = [3, 3], strides = [2, 2]}
}
)";
  return kernels_of(text, fuse_conv_pool);
}

using Names = std::vector<std::string>;

TEST_CASE(
    "large images pass a convolution and its pool by row blocks, from planes where they are few") {
  CHECK(kernels(3, "300", "%y") == Names{"conv2d_max_pool_nhwc", "reorder"});
  CHECK(kernels(8, "300", "%y") == Names{"reorder", "conv2d_max_pool_nhwc", "reorder"});
}

TEST_CASE(
    "a convolution and its pool stay apart where that costs nothing, or others read between") {
  CHECK(kernels(3, "30", "%y") == Names{"reorder", "conv2d_nhwc", "max_pool2d_nhwc", "reorder"});
  CHECK(kernels(3, "300", "%y, %r").size() == 5);
}

TEST_CASE("images of any size pass a convolution and its pool by row blocks") {
  CHECK(kernels(3, "H", "%y") == Names{"conv2d_max_pool_nhwc", "reorder"});
}

}  // namespace
}  // namespace onnxc

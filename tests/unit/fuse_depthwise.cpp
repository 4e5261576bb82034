// fuse_depthwise: which convolutions become one step.
#include "compiler/schedule/fuse_depthwise.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/fused_kernels.hpp"

namespace onnxc {
namespace {

// The kernels of a graph, but for changes of layout.
std::vector<std::string> fused(const std::string& text) {
  std::vector<std::string> found = kernels_of(text, fuse_depthwise);
  std::erase(found, "reorder");
  return found;
}

// Kernels of x, an image of 2 channels, after a pointwise convolution to 4 channels, a depthwise
// one, and a pointwise one to 2.
std::vector<std::string> kernels(const std::string& x, const std::string& result) {
  const std::string text = "graph \"g\" (%x: f32" + x + R"() -> ()" + result + R"() {
  const %e = dense<f32[4,2,1,1]: 1, 2, 3, 4, 5, 6, 7, 8>
  const %d = dense<f32[4,1,1,3]: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12>
  const %p = dense<f32[2,4,1,1]: 1, 2, 3, 4, 5, 6, 7, 8>
  %a = Conv(%x, %e)
  %r = Relu(%a)
  %b = Conv(%r, %d) {group = 4, pads = [0, 1, 0, 1]}
  %y = Conv(%b, %p)
}
)";
  return fused(text);
}

using Names = std::vector<std::string>;

TEST_CASE("large images pass a depthwise convolution and its neighbours by row blocks") {
  CHECK(kernels("[1,2,256,256]", "%y") == Names{"expand_depthwise_project_nhwc"});
}

TEST_CASE("small images pass them one after the other") {
  CHECK(kernels("[1,2,16,16]", "%y") ==
        Names{"conv2d_nhwc", "depthwise_conv2d_nhwc", "conv2d_nhwc"});
}

TEST_CASE("a batch of any size is decided as one image, an image of any size as a large one") {
  CHECK(kernels("[N,2,256,256]", "%y") == Names{"expand_depthwise_project_nhwc"});
  CHECK(kernels("[N,2,16,16]", "%y").size() == 3);
  CHECK(kernels("[N,2,H,W]", "%y") == Names{"expand_depthwise_project_nhwc"});
}

TEST_CASE("groups pass by row blocks, and what interleaves their channels moves nothing") {
  const auto found = fused(R"(graph "g" (%x: f32[1,4,256,256]) -> (%y) {
  const %e = dense<f32[4,2,1,1]: 1, 2, 3, 4, 5, 6, 7, 8>
  const %d = dense<f32[4,1,1,3]: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12>
  const %p = dense<f32[2,2,1,1]: 1, 2, 3, 4>
  %a = Conv(%x, %e) {group = 2}
  %s = onnxc::ShuffleChannels(%a) {groups = 2}
  %b = Conv(%s, %d) {group = 4, pads = [0, 1, 0, 1]}
  %y = Conv(%b, %p) {group = 2}
}
)");
  CHECK(found == Names{"expand_depthwise_project_nhwc"});
}

TEST_CASE("what others read is computed by itself") {
  CHECK(kernels("[1,2,256,256]", "%y, %r") == Names{"conv2d_nhwc", "depthwise_project_nhwc"});
  CHECK(kernels("[1,2,256,256]", "%y, %b") == Names{"expand_depthwise_nhwc", "conv2d_nhwc"});
}

}  // namespace
}  // namespace onnxc

// Fusion of steps over row blocks: which convolutions and pools become one step.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "compiler/ir/parse.hpp"
#include "compiler/passes/pass.hpp"
#include "compiler/schedule/schedule.hpp"

namespace onnxc {
namespace {

using Names = std::vector<std::string>;

// The kernels of a graph after all passes, lowering, and `fuse` on the program; in the order of
// steps.
template <class Fuse>
std::vector<std::string> kernels_of(const std::string& text, Fuse fuse) {
  auto graph = parse_graph(text);
  const CompileOptions options;
  const Target target = make_target("generic");
  Diagnostics diagnostics;
  PassContext context{options, target, diagnostics};
  run_pipeline(*graph, context);
  Program program = lower_graph(*graph, options, target, diagnostics);
  REQUIRE(!diagnostics.has_errors());
  fuse(program);
  std::vector<std::string> found;
  for (const Step& step : program.steps) found.push_back(step.kernel);
  return found;
}

// ---- fuse_depthwise -----------------------------------------------------------------------------

// The kernels of a graph, but for changes of layout.
std::vector<std::string> fused(const std::string& text) {
  std::vector<std::string> found = kernels_of(text, fuse_depthwise);
  std::erase(found, "reorder");
  return found;
}

// Kernels of x, an image of 2 channels, after a pointwise convolution to 4 channels, a depthwise
// one, and a pointwise one to 2.
std::vector<std::string> block_kernels(const std::string& x, const std::string& result) {
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

TEST_CASE("large images pass a depthwise convolution and its neighbours by row blocks") {
  CHECK(block_kernels("[1,2,256,256]", "%y") == Names{"expand_depthwise_project_nhwc"});
}

TEST_CASE("small images pass them one after the other") {
  CHECK(block_kernels("[1,2,16,16]", "%y") ==
        Names{"conv2d_nhwc", "depthwise_conv2d_nhwc", "conv2d_nhwc"});
}

TEST_CASE("a batch of any size is decided as one image, an image of any size as a large one") {
  CHECK(block_kernels("[N,2,256,256]", "%y") == Names{"expand_depthwise_project_nhwc"});
  CHECK(block_kernels("[N,2,16,16]", "%y").size() == 3);
  CHECK(block_kernels("[N,2,H,W]", "%y") == Names{"expand_depthwise_project_nhwc"});
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
  CHECK(block_kernels("[1,2,256,256]", "%y, %r") == Names{"conv2d_nhwc", "depthwise_project_nhwc"});
  CHECK(block_kernels("[1,2,256,256]", "%y, %b") == Names{"expand_depthwise_nhwc", "conv2d_nhwc"});
}

// ---- fuse_conv_pool -----------------------------------------------------------------------------

// Kernels of x [1,channels,h,h] after a convolution to 4 channels, Relu and MaxPool.
std::vector<std::string> pool_kernels(int channels, const std::string& h,
                                      const std::string& results) {
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

TEST_CASE(
    "large images pass a convolution and its pool by row blocks, from planes where they are few") {
  CHECK(pool_kernels(3, "300", "%y") == Names{"conv2d_max_pool_nhwc", "reorder"});
  CHECK(pool_kernels(8, "300", "%y") == Names{"reorder", "conv2d_max_pool_nhwc", "reorder"});
}

TEST_CASE(
    "a convolution and its pool stay separate where that costs nothing, or others read between") {
  CHECK(pool_kernels(3, "30", "%y") ==
        Names{"reorder", "conv2d_nhwc", "max_pool2d_nhwc", "reorder"});
  CHECK(pool_kernels(3, "300", "%y, %r").size() == 5);
}

TEST_CASE("planes that another convolution reads are reordered once") {
  std::string w = "1";
  for (int i = 1; i < 36; ++i) w += ", 1";
  const auto found = kernels_of(
      "graph \"g\" (%x: f32[1,3,300,300]) -> (%y, %b) {\n"
      "  const %w = dense<f32[4,3,3,1]: " +
          w + R"(>
  %a = Conv(%x, %w) {pads = [1, 0, 1, 0]}
  %y = MaxPool(%a) {kernel_shape = [3, 3], strides = [2, 2]}
  %b = Conv(%x, %w) {strides = [2, 2]}
}
)",
      fuse_conv_pool);
  CHECK(found == Names{"reorder", "conv2d_max_pool_nhwc", "conv2d_nhwc", "reorder", "reorder"});
}

TEST_CASE("images of any size pass a convolution and its pool by row blocks") {
  CHECK(pool_kernels(3, "H", "%y") == Names{"conv2d_max_pool_nhwc", "reorder"});
}

// ---- write_parts --------------------------------------------------------------------------------

TEST_CASE("a Concat along its first axis copies no result of another step") {
  const std::string text = R"(graph "g" (%x: f32[2,3], %z: f32[2,3]) -> (%y, %w) {
  %a = Exp(%x)
  %b = Tanh(%z)
  %y = Concat(%a, %x, %b) {axis = 0}
  %v = Concat(%b, %a) {axis = 1}
  %w = Neg(%v)
}
)";
  CHECK(kernels_of(text, write_parts) ==
        Names{"map", "map", "strided_copy", "strided_copy", "strided_copy", "map"});
}

TEST_CASE("what a Concat joins is in its place once the size of the result is computed") {
  const auto kernels_with = [](const std::string& nodes) {
    std::vector<std::string> found =
        kernels_of("graph \"g\" (%x: f32[N], %s: i64[2], %z: f32[M,4]) -> (%y) {\n" + nodes +
                       "  %y = Concat(%a, %b) {axis = 0}\n}\n",
                   write_parts);
    std::erase(found, "");
    return found;
  };
  CHECK(kernels_with("  %r = Reshape(%x, %s)\n  %a = Sin(%r)\n  %b = Cos(%r)\n") ==
        Names{"reshape_extents", "map", "map", "strided_copy"});
  CHECK(kernels_with("  %a = Sin(%z)\n  %r = Reshape(%x, %s)\n  %b = Cos(%r)\n") ==
        Names{"map", "reshape_extents", "map", "strided_copy", "strided_copy"});
}

TEST_CASE("memory for a whole that is another step's input has a known bound") {
  const auto kernels_of_rows = [](const std::string& rows) {
    return kernels_of("graph \"g\" (%x: f32[" + rows + ",4], %z: f32[" + rows + R"(,4]) -> (%y) {
  %a = Exp(%x)
  %b = Tanh(%z)
  %w = Concat(%a, %b) {axis = 0}
  %y = Softmax(%w) {axis = 0}
}
)",
                      write_parts);
  };
  CHECK(kernels_of_rows("2") == Names{"map", "map", "softmax"});
  const Names copied = {"map", "map", "strided_copy", "strided_copy", "softmax"};
  CHECK(kernels_of_rows("67108864") == copied);  // 2 GiB
  CHECK(kernels_of_rows("N") == copied);
}

}  // namespace
}  // namespace onnxc

// The axes of operators: which loops of the operation run over them, and which of these devices may
// share.
#include <catch2/catch.hpp>
#include <string>

#include "compiler/ir/parse.hpp"
#include "compiler/ops/axes.hpp"
#include "compiler/passes/pass.hpp"

namespace onnxc {
namespace {

std::string text_of(ops::Axes::Kind kind) {
  const char* names[] = {"", "sum ", "product ", "max ", "min ", "whole ", "any "};
  return names[static_cast<std::size_t>(kind)];
}

// An axis as the numbers of its loops, such as [0,2 1 -]: the first axis has two, the last none.
std::string text_of(const ops::Axes& n, const std::vector<ops::Axes::Operand>& operands,
                    bool inputs) {
  std::string text;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    text += " [";
    for (std::size_t axis = 0; axis < operands[i].size(); ++axis) {
      std::string numbers;
      for (const int loop : operands[i][axis])
        numbers += (numbers.empty() ? "" : ",") + std::to_string(loop);
      text += (axis == 0 ? "" : " ") + (numbers.empty() ? "-" : numbers);
      if (const auto* w = inputs ? n.window_of(i, axis) : nullptr)
        text += "*" + std::to_string(w->stride) + "-" + std::to_string(w->before) + "+" +
                std::to_string(w->reach);
    }
    text += "]";
  }
  return text;
}

std::string axes_of(const Node& node) {
  ops::Axes n(node);
  node.op->axes(n);
  std::string loops;
  for (const ops::Axes::Loop& loop : n.loops())
    loops += (loops.empty() ? "" : ", ") + text_of(loop.kind) + loop.extent.to_string();
  return node.outputs[0]->name + ":" + text_of(n, n.inputs(), true) + " ->" +
         text_of(n, n.outputs(), false) + "\n  (" + loops + ")\n";
}

// Two lines for each node.
std::string axes_of_nodes(const std::string& text) {
  const auto graph = parse_graph(text);
  const CompileOptions options;
  const Target target = make_target("generic");
  Diagnostics diagnostics;
  PassContext context{options, target, diagnostics};
  passes::infer_shapes(*graph, context);
  REQUIRE(!diagnostics.has_errors());
  std::string all;
  for (const auto& node : graph->nodes)
    if (node->op->axes) all += axes_of(*node);
  return "\n" + all;
}

}  // namespace

TEST_CASE("axes of products", "[axes]") {
  CHECK(axes_of_nodes(
            R"(graph "g" (%a: f32[2,B,3,4], %b: f32[B,4,5], %v: f32[4], %c: f32[3,4], %d: f32[5,4],
%e: f32[5], %f: f32[5,1], %p: u8[2,3,4], %q: u8[4,5], %pz: u8[3], %qz: u8[5], %s: f32[],
%z: u8[], %ss: f32[5], %sz: u8[5],
%ps: u8[2,3,1]) -> () {
  %matmul = MatMul(%a, %b)
  %vector = MatMul(%v, %b)
  %matrix_vector = MatMul(%a, %v)
  %dot = MatMul(%v, %v)
  %gemm = Gemm(%c, %d, %e) {transB=1}
  %gemm_column = Gemm(%d, %c, %f) {transB=1, beta=0.5}
  %integers = MatMulInteger(%p, %q, %pz, %qz)
  %stacks = MatMulInteger(%p, %q, %ps, %qz)
  %qlinear = QLinearMatMul(%p, %s, %z, %q, %ss, %sz, %s, %z)
}
)") == R"(
matmul: [1 2 3 0] [2 0 4] -> [1 2 3 4]
  (sum 4, 2, B, 3, 5)
vector: [0] [1 0 2] -> [1 2]
  (sum 4, B, 5)
matrix_vector: [1 2 3 0] [0] -> [1 2 3]
  (sum 4, 2, B, 3)
dot: [0] [0] -> []
  (sum 4)
gemm: [0 2] [1 2] [1] -> [0 1]
  (3, 5, sum 4)
gemm_column: [0 2] [1 2] [0 -] -> [0 1]
  (5, 3, sum 4)
integers: [1 2 0] [0 3] [2] [3] -> [1 2 3]
  (sum 4, 2, 3, 5)
stacks: [1 2 0] [0 3] [1 2 -] [3] -> [1 2 3]
  (sum 4, 2, 3, 5)
qlinear: [1 2 0] [] [] [0 3] [3] [3] [] [] -> [1 2 3]
  (whole 4, 2, 3, 5)
)");
}

TEST_CASE("axes of convolutions and pools", "[axes]") {
  CHECK(axes_of_nodes(
            R"(graph "g" (%x: f32[2,4,H,9], %w: f32[6,2,3,3], %t: f32[4,3,2,2], %u: u8[2,4,8,9],
%uw: u8[6,4,3,3], %s: f32[], %z: u8[], %ws: f32[6], %wz: u8[6], %bias: f32[6],
%b: i32[6]) -> () {
  %conv = Conv(%x, %w, %bias) {group=2, strides=[1,2], pads=[1,0,1,2], dilations=[1,2]}
  %transposed = ConvTranspose(%x, %t) {group=2, strides=[2,2]}
  %integers = ConvInteger(%u, %uw, %z, %wz)
  %qlinear = QLinearConv(%u, %s, %z, %uw, %ws, %wz, %s, %z, %b) {strides=[2,1]}
  %average = AveragePool(%x) {kernel_shape=[2,3], strides=[2,2], pads=[0,1,0,0]}
  %max = MaxPool(%x) {kernel_shape=[2,3]}
  %global = GlobalAveragePool(%x)
}
)") == R"(
conv: [0 1,2 - 4*2-0+5] [1,3 2 - -] [1,3] -> [0 1,3 - 4]
  (2, 2, sum 2, 3, 4)
transposed: [0 1,3 4 6] [1,3 2 - -] -> [0 1,2 4,5 6,7]
  (2, 2, 3, sum 2, H, whole 2, 9, whole 2)
integers: [0 1,2 4*1-0+3 5*1-0+3] [1,3 2 - -] [] [1,3] -> [0 1,3 4 5]
  (2, 1, whole 4, 6, 6, 7)
qlinear: [0 1,2 4*2-0+3 5*1-0+3] [] [] [1,3 2 - -] [1,3] [1,3] [] [] [1,3] -> [0 1,3 4 5]
  (2, 1, whole 4, 6, 3, 7)
average: [0 1 - 2*2-1+3] -> [0 1 - 2]
  (2, 4, 4)
max: [0 1 - 2*1-0+3] -> [0 1 - 2]
  (2, 4, 7)
global: [0 1 - 2] -> [0 1 - -]
  (2, 4, sum 9)
)");
}

TEST_CASE("axes of what moves elements", "[axes]") {
  CHECK(axes_of_nodes(
            R"(graph "g" (%x: f32[2,N,12,5], %y: f32[2,N,3,5], %i: i64[7,2], %v: f32[12,1],
%h: f32[2,3,8], %bias: f32[8], %z: f32[2,3,4,5]) -> () {
  const %first = dense<i64[1]: 1>
  const %last = dense<i64[1]: 9>
  const %axis = dense<i64[1]: 2>
  const %expanded = dense<i64[3]: 4, 12, 6>
  const %parts = dense<i64[2]: 3, 9>
  const %grouped = dense<i64[5]: 0, 0, 3, 4, 5>
  const %merged = dense<i64[3]: 2, -1, 60>
  %concat = Concat(%x, %y) {axis=2}
  %expand = Expand(%v, %expanded)
  %flatten = Flatten(%x) {axis=2}
  %flatten_fixed = Flatten(%z) {axis=2}
  %gather = Gather(%x, %i) {axis=2}
  %identity = Identity(%x)
  %reshape = Reshape(%x, %grouped)
  %reshape_merged = Reshape(%x, %merged)
  %shape = Shape(%x)
  %shape_from = Shape(%x) {start=1}
  %shape_to = Shape(%x) {end=2}
  %slice = Slice(%x, %first, %last, %axis)
  %split, %split2, %split3 = Split(%x) {axis=2, num_outputs=3}
  %split_uneven, %split_rest = Split(%x, %parts) {axis=2}
  %unsqueeze = Unsqueeze(%x, %axis)
  %squeeze = Squeeze(%unsqueeze, %axis)
  %transpose = Transpose(%x) {perm=[2,0,3,1]}
  %heads = onnxc::SplitHeads(%h) {heads=4}
  %heads_bias = onnxc::SplitHeads(%h, %bias) {heads=4}
}
)") == R"(
concat: [0 1 - 2] [0 1 - 2] -> [0 1 - 2]
  (2, N, 5)
expand: [1 -] [-] -> [0 1 2]
  (4, 12, 6)
flatten: [- - - -] -> [- -]
  ()
flatten_fixed: [0 1 2 3] -> [0,1 2,3]
  (2, 3, 4, 5)
gather: [0 1 - 4] [2 3] -> [0 1 2 3 4]
  (2, N, 7, 2, 5)
identity: [0 1 2 3] -> [0 1 2 3]
  (2, N, 12, 5)
reshape: [0 1 2,3 4] [-] -> [0 1 2 3 4]
  (2, N, 3, 4, 5)
reshape_merged: [0 1 2 3] [-] -> [0 1 2,3]
  (2, N, 12, 5)
shape: [0 - 1 2] -> [-]
  (any 2, any 12, any 5)
shape_from: [- - - -] -> [-]
  ()
shape_to: [- - - -] -> [-]
  ()
slice: [0 1 - 2] [-] [-] [-] -> [0 1 - 2]
  (2, N, 5)
split: [0 1 3,4 2] -> [0 1 4 2] [0 1 4 2] [0 1 4 2]
  (2, N, 5, whole 3, 4)
split_uneven: [0 1 - 2] [-] -> [0 1 - 2] [0 1 - 2]
  (2, N, 5)
unsqueeze: [0 1 2 3] [-] -> [0 1 - 2 3]
  (2, N, 12, 5)
squeeze: [0 1 - 2 3] [-] -> [0 1 2 3]
  (2, N, 12, 5)
transpose: [1 3 0 2] -> [0 1 2 3]
  (12, 2, 5, N)
heads: [0 1 2,3] -> [0 2 1 3]
  (2, 3, 4, whole 2)
heads_bias: [- - -] [-] -> [- - - -]
  ()
)");
}

TEST_CASE("axes of normalizations, reductions and quantization", "[axes]") {
  CHECK(axes_of_nodes(
            R"(graph "g" (%x: f32[2,N,6,5], %c: f32[6], %d: f32[5], %x2: f32[2,6,5], %u: u8[2,6,5],
%b: bool[2,6,5],
%s: f32[], %z: u8[], %sc: f32[6], %zc: u8[6]) -> () {
  const %axes = dense<i64[2]: 1, -1>
  %batch_norm = BatchNormalization(%x2, %c, %c, %c, %c)
  %instance_norm = InstanceNormalization(%x2, %c, %c)
  %layer_norm, %mean, %inverse = LayerNormalization(%x, %d) {axis=2}
  %rms_norm = RMSNormalization(%x, %d)
  %softmax = Softmax(%x) {axis=1}
  %sum = ReduceSum(%x, %axes)
  %sum_without = ReduceSum(%x, %axes) {keepdims=0}
  %all = ReduceSum(%x) {keepdims=0}
  %means = ReduceMean(%x, %axes)
  %largest = ReduceMax(%x, %axes) {keepdims=0}
  %any = ReduceMax(%b, %axes)
  %smallest = ReduceMin(%x, %axes)
  %product = ReduceProd(%x, %axes)
  %norm = ReduceL1(%x, %axes)
  %squares = ReduceSumSquare(%x, %axes)
  %dequantized = DequantizeLinear(%u, %s, %z)
  %dequantized_channels = DequantizeLinear(%u, %sc, %zc)
  %quantized = QuantizeLinear(%x2, %sc, %zc)
}
)") == R"(
batch_norm: [0 1 2] [1] [1] [1] [1] -> [0 1 2]
  (2, 6, 5)
instance_norm: [0 1 -] [1] [1] -> [0 1 -]
  (2, 6)
layer_norm: [0 1 - -] [-] -> [0 1 - -] [0 1 - -] [0 1 - -]
  (2, N)
rms_norm: [0 1 2 -] [-] -> [0 1 2 -]
  (2, N, 6)
softmax: [0 - 1 2] -> [0 - 1 2]
  (2, 6, 5)
sum: [0 - 1 2] [-] -> [0 - 1 -]
  (2, 6, sum 5)
sum_without: [0 - 1 2] [-] -> [0 1]
  (2, 6, sum 5)
all: [0 - 1 2] -> []
  (sum 2, sum 6, sum 5)
means: [0 - 1 2] [-] -> [0 - 1 -]
  (2, 6, sum 5)
largest: [0 - 1 2] [-] -> [0 1]
  (2, 6, max 5)
any: [0 1 2] [-] -> [0 - -]
  (2, whole 6, whole 5)
smallest: [0 - 1 2] [-] -> [0 - 1 -]
  (2, 6, min 5)
product: [0 - 1 2] [-] -> [0 - 1 -]
  (2, 6, product 5)
norm: [0 - 1 2] [-] -> [0 - 1 -]
  (2, 6, sum 5)
squares: [0 - 1 2] [-] -> [0 - 1 -]
  (2, 6, sum 5)
dequantized: [0 1 2] [] [] -> [0 1 2]
  (2, 6, 5)
dequantized_channels: [0 1 2] [1] [1] -> [0 1 2]
  (2, 6, 5)
quantized: [0 1 2] [1] [1] -> [0 1 2]
  (2, 6, 5)
)");
}

TEST_CASE("axes of attention and recurrence", "[axes]") {
  CHECK(axes_of_nodes(
            R"(graph "g" (%q: f32[2,6,5,4], %k: f32[2,3,N,4], %v: f32[2,3,N,7], %m: f32[5,N],
%x: f32[T,B,3], %w: f32[1,8,3], %r: f32[1,8,2], %q3: f32[2,5,8], %k3: f32[2,N,8]) -> () {
  %attention = Attention(%q, %k, %v, %m)
  %rank3 = Attention(%q3, %k3, %k3) {q_num_heads=2, kv_num_heads=2}
  %states, %last, %cell = LSTM(%x, %w, %r) {hidden_size=2}
}
)") == R"(
attention: [0 1,2 - -] [0 1 - -] [0 1 - -] [- -] -> [0 1,2 - -]
  (2, 3, whole 2)
rank3: [0 - 1,2,3] [0 - 1,4] [0 - 1,5] -> [0 - 1,2,6]
  (2, 2, whole 1, whole 4, whole 4, whole 4, whole 4)
states: [- 0 -] [- - -] [- - -] -> [- - 0 -] [- 0 -] [- 0 -]
  (B)
)");
}

}  // namespace onnxc

// Passes: each rewrites the graph in place, and says in its first comment what it needs and gives.
#pragma once

#include <span>

#include "compiler/ir/graph.hpp"
#include "compiler/support/diagnostics.hpp"
#include "compiler/support/options.hpp"
#include "compiler/support/target.hpp"

namespace onnxc {

struct PassContext {
  const CompileOptions& options;
  const Target& target;
  Diagnostics& diagnostics;
};

namespace passes {

// In the order they run; see pipeline.cpp.
void bind_dims(Graph& graph, PassContext& context);
void infer_shapes(Graph& graph, PassContext& context);
void fold_constant_if(Graph& graph, PassContext& context);
void check_tensor_sizes(Graph& graph, PassContext& context);
void promote_fp16_to_fp32(Graph& graph, PassContext& context);
void decompose_einsum(Graph& graph, PassContext& context);
void lower_qdq_to_int8(Graph& graph, PassContext& context);
void remove_identity(Graph& graph, PassContext& context);
void remove_dead(Graph& graph, PassContext& context);
void lower_conv3d_to_conv2d(Graph& graph, PassContext& context);
void decompose_batch_norm(Graph& graph, PassContext& context);
void fuse_fake_quant(Graph& graph, PassContext& context);
void lower_quantize_linear(Graph& graph, PassContext& context);
void fold_scale_bias(Graph& graph, PassContext& context);
void fuse_attention(Graph& graph, PassContext& context);
void fuse_elementwise(Graph& graph, PassContext& context);
void match_channel_shuffle(Graph& graph, PassContext& context);
void fold_channel_shuffle(Graph& graph, PassContext& context);
void choose_layout(Graph& graph, PassContext& context);
void concat_in_place(Graph& graph, PassContext& context);

}  // namespace passes

// Evaluates the node if its operator can be folded and all its inputs are constants.
bool fold_node(Node& node);

struct Pass {
  const char* name;
  void (*run)(Graph&, PassContext&);
  bool typed;   // every value must have a type afterwards
  bool nested;  // run on every subgraph, too
};
std::span<const Pass> pipeline();

// Runs the whole pipeline, stopping after a pass that reported errors.
void run_pipeline(Graph& graph, PassContext& context);

}  // namespace onnxc

// The order of the passes, as a table.
#include "compiler/passes/pass.hpp"

namespace onnxc {
namespace {

constexpr Pass kPipeline[] = {
    {"bind_dims", passes::bind_dims, false},
    {"infer_shapes", passes::infer_shapes, true},
    {"limit_sizes", passes::limit_sizes, true},
    {"remove_identity", passes::remove_identity, true},
    {"remove_dead", passes::remove_dead, true},
    {"decompose_batch_norm", passes::decompose_batch_norm, true},
    {"fold_affine", passes::fold_affine, true},
    {"fuse_elementwise", passes::fuse_elementwise, true},
    {"choose_layout", passes::choose_layout, true},
    {"remove_dead", passes::remove_dead, true},
};

}  // namespace

std::span<const Pass> pipeline() { return kPipeline; }

void run_pipeline(Graph& graph, PassContext& context) {
  for (const Pass& pass : kPipeline) {
    pass.run(graph, context);
    if (context.diagnostics.has_errors()) return;
  }
}

}  // namespace onnxc

// The order of the passes, as a table.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "compiler/ir/print.hpp"
#include "compiler/ir/verify.hpp"
#include "compiler/passes/pass.hpp"
#include "compiler/support/pass_log.hpp"

namespace onnxc {

// passes.inc lists ONNXC_PASS(stem) for every file below compiler/passes/<folder>/.
namespace passes {
#define ONNXC_PASS(stem) void stem(Graph& graph, PassContext& context);
#include "passes.inc"
#undef ONNXC_PASS
}  // namespace passes

namespace {

// Nodes without effect and without readers; later passes clean up after themselves.
void clean_up_rest(Graph& graph, PassContext&) { passes::clean_up(graph); }

constexpr unsigned kTyped = Pass::typed | Pass::nested, kOptional = kTyped | Pass::optional;

constexpr unsigned kModel = Pass::model_nodes | Pass::no_bodies, kTypes = Pass::types;
constexpr unsigned kForward = Pass::types | Pass::forward;

// name, function, traits; needs, gives, ends.
constexpr Pass kPipeline[] = {
    {"bind_dims", passes::bind_dims, Pass::checks, 0, Pass::bound_dims, 0},
    {"infer_shapes", passes::infer_shapes, Pass::checks, Pass::bound_dims, kTypes, 0},
    {"drop_references", passes::drop_references, Pass::nested, kTypes, 0, 0},
    {"lists_to_members", passes::lists_to_members, 0, kTypes, 0, 0},
    {"restore_attention", passes::restore_attention, Pass::optional, kTypes, 0, 0},
    {"fuse_normalization", passes::fuse_normalization, Pass::nested | Pass::optional, kTypes, 0, 0},
    {"fuse_gelu", passes::fuse_gelu, Pass::nested | Pass::optional, kTypes, 0, 0},
    {"expand_gradients", passes::expand_gradients, 0, kTypes | Pass::model_nodes, Pass::forward, 0},
    {"split_optimizers", passes::split_optimizers, Pass::nested, kForward, 0, 0},
    {"clean_up", clean_up_rest, 0, kForward, 0, Pass::model_nodes},
    {"fold_constant_if", passes::fold_constant_if, kTyped, kForward, 0, 0},
    {"fold_dims", passes::fold_dims, kTyped, kForward, 0, 0},
    {"check_tensor_sizes", passes::check_tensor_sizes, Pass::checks | Pass::typed, kTypes, 0, 0},
    {"zipmap_to_tensor", passes::zipmap_to_tensor, Pass::typed, kForward, 0, 0},
    {"quantized_ports", passes::quantized_ports, Pass::typed, kForward, 0, 0},
    {"merge_duplicates", passes::merge_duplicates, kOptional, kForward, 0, 0},
    {"promote_fp16_to_fp32", passes::promote_fp16_to_fp32, kOptional, kForward, 0, 0},
    {"decompose_einsum", passes::decompose_einsum, kOptional, kForward, 0, 0},
    {"one_hot_to_gather", passes::one_hot_to_gather, kOptional, kForward | Pass::no_bodies, 0, 0},
    {"hoist_shape_ops", passes::hoist_shape_ops, kOptional, kForward | Pass::no_bodies, 0, 0},
    {"fold_pad", passes::fold_pad, kOptional, kForward | Pass::no_bodies, 0, 0},
    {"fold_input_scale", passes::fold_input_scale, kOptional, kForward | Pass::no_bodies, 0, 0},
    {"lower_to_int8", passes::lower_to_int8, kOptional, kForward, Pass::int8_products, 0},
    {"functions_to_int8", passes::functions_to_int8, kOptional, kForward, 0, 0},
    {"lower_conv3d_to_conv2d", passes::lower_conv3d_to_conv2d, kOptional,
     kForward | Pass::no_bodies, 0, 0},
    {"decompose_batch_norm", passes::decompose_batch_norm, kOptional, kForward, 0, 0},
    {"fold_scale_bias", passes::fold_scale_bias, kOptional, kForward | Pass::no_bodies, 0, 0},
    {"fuse_fake_quant", passes::fuse_fake_quant, kOptional, kForward | Pass::int8_products, 0, 0},
    {"share_packed_rows", passes::share_packed_rows, kOptional, kForward, 0, 0},
    {"fuse_normalization", passes::fuse_normalization, kOptional, kForward | Pass::no_bodies, 0, 0},
    {"fuse_gelu", passes::fuse_gelu, kOptional, kForward | Pass::no_bodies, 0, 0},
    {"fuse_attention", passes::fuse_attention, kOptional, kForward | Pass::no_bodies, 0, 0},
    {"keep_pool_argmax", passes::keep_pool_argmax, kOptional, kForward, 0, 0},
    {"fuse_elementwise", passes::fuse_elementwise, kOptional, kForward, 0, Pass::no_bodies},
    {"match_channel_shuffle", passes::match_channel_shuffle, kOptional, kForward, Pass::shuffles,
     0},
    {"fold_channel_shuffle", passes::fold_channel_shuffle, kOptional, kForward | Pass::shuffles, 0,
     0},
    {"choose_layout", passes::choose_layout, kOptional, kForward, Pass::layouts, 0},
    {"concat_in_place", passes::concat_in_place, kOptional, kForward | Pass::layouts, 0, 0},
};

// Whether every pass finds what it needs.
constexpr bool is_in_order(std::span<const Pass> passes) {
  unsigned facts = kModel;
  for (const Pass& pass : passes) {
    if ((pass.needs & ~facts) != 0) return false;
    facts = (facts | pass.gives) & ~pass.ends;
  }
  return true;
}
static_assert(is_in_order(kPipeline), "a pass needs what no pass before it gives");

}  // namespace

std::span<const Pass> pipeline() { return kPipeline; }

namespace {

// For larger graphs a check after every pass would cost too much time; the last check always runs.
constexpr std::size_t kAlwaysVerify = 2000;

void check(const Graph& graph, const Pass& pass) {
  const auto problems = verify(graph, pass.is(Pass::typed));
  if (!problems.empty())
    throw std::logic_error(fmt::format("after pass {}: {}", pass.name, problems.front()));
}

void run_everywhere(Graph& graph, const Pass& pass, PassContext& context) {
  pass.run(graph, context);
  if (!pass.is(Pass::nested)) return;
  for (auto& node : graph.nodes)
    each_subgraph(*node, [&](Graph& body) { run_everywhere(body, pass, context); });
}

}  // namespace

void run_pass(Graph& graph, const Pass& pass, PassContext& context) {
  run_everywhere(graph, pass, context);
  if (pass.is(Pass::typed)) passes::clean_up(graph);
}

void run_checks(Graph& graph, PassContext& context) {
  for (const Pass& pass : kPipeline)
    if (pass.is(Pass::checks)) pass.run(graph, context);
}

namespace {

void run_passes(Graph& graph, std::span<const Pass> passes, PassContext& context) {
  PassLog log(context.options, static_cast<std::size_t>(passes.data() - kPipeline));
  for (const Pass& pass : passes) {
    const bool left_out = pass.is(Pass::optional) && log.skips_optional();
    if (context.diagnostics.has_errors()) {
      if (pass.is(Pass::checks)) pass.run(graph, context);
      continue;
    }
    log.start();
    if (!left_out) run_pass(graph, pass, context);
    log.finish(pass.name, "ir", [&] { return print(graph); });
    if (context.diagnostics.has_errors()) continue;
    const bool is_last = &pass == &passes.back();
    if (graph.nodes.size() <= kAlwaysVerify || is_last) check(graph, pass);
  }
}

// The rows that leave the nodes as the model has them come first.
constexpr auto kFirstRewrite =
    std::find_if(std::begin(kPipeline), std::end(kPipeline),
                 [](const Pass& pass) { return !pass.is(Pass::checks); });

}  // namespace

void run_differentiation(Graph& graph, PassContext& context) {
  const auto pass =
      std::ranges::find_if(kPipeline, [](const Pass& p) { return (p.gives & Pass::forward) != 0; });
  pass->run(graph, context);
}

void run_inference(Graph& graph, PassContext& context) {
  if (context.diagnostics.has_errors()) return run_checks(graph, context);
  run_passes(graph, {std::begin(kPipeline), kFirstRewrite}, context);
}

void run_rewrites(Graph& graph, PassContext& context) {
  run_passes(graph, {kFirstRewrite, std::end(kPipeline)}, context);
}

void run_pipeline(Graph& graph, PassContext& context) {
  const bool broken = context.diagnostics.has_errors();
  run_inference(graph, context);
  if (!broken) run_rewrites(graph, context);
}

}  // namespace onnxc

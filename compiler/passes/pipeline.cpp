// The order of the passes, as a table.
#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdio>

#include "compiler/ir/print.hpp"
#include "compiler/ir/verify.hpp"
#include "compiler/passes/pass.hpp"
#include "compiler/support/terminal.hpp"

namespace onnxc {

// passes.inc lists ONNXC_PASS(stem) for every file below compiler/passes/<folder>/.
namespace passes {
#define ONNXC_PASS(stem) void stem(Graph& graph, PassContext& context);
#include "passes.inc"
#undef ONNXC_PASS
}  // namespace passes

namespace {

constexpr unsigned kTyped = Pass::typed | Pass::nested, kOptional = kTyped | Pass::optional;

constexpr Pass kPipeline[] = {
    {"bind_dims", passes::bind_dims, Pass::checks},
    {"infer_shapes", passes::infer_shapes, Pass::checks},
    {"resolve_devices", passes::resolve_devices, Pass::checks},
    {"lists_to_members", passes::lists_to_members, 0},
    {"restore_attention", passes::restore_attention, Pass::optional},
    {"fuse_normalization", passes::fuse_normalization, Pass::nested | Pass::optional},
    {"fuse_gelu", passes::fuse_gelu, Pass::nested | Pass::optional},
    {"expand_gradients", passes::expand_gradients, 0},
    {"split_optimizers", passes::split_optimizers, Pass::nested},
    {"fold_constant_if", passes::fold_constant_if, kTyped},
    {"fold_dims", passes::fold_dims, kTyped},
    {"check_tensor_sizes", passes::check_tensor_sizes, Pass::checks | Pass::typed},
    {"zipmap_to_tensor", passes::zipmap_to_tensor, Pass::typed},
    {"quantized_ports", passes::quantized_ports, Pass::typed},
    {"merge_duplicates", passes::merge_duplicates, kOptional},
    {"promote_fp16_to_fp32", passes::promote_fp16_to_fp32, kOptional},
    {"decompose_einsum", passes::decompose_einsum, kOptional},
    {"lower_to_int8", passes::lower_to_int8, kOptional},
    {"lower_conv3d_to_conv2d", passes::lower_conv3d_to_conv2d, kOptional},
    {"decompose_batch_norm", passes::decompose_batch_norm, kOptional},
    {"fold_scale_bias", passes::fold_scale_bias, kOptional},
    {"fuse_fake_quant", passes::fuse_fake_quant, kOptional},
    {"share_packed_rows", passes::share_packed_rows, kOptional},
    {"fuse_normalization", passes::fuse_normalization, kOptional},
    {"fuse_gelu", passes::fuse_gelu, kOptional},
    {"fuse_attention", passes::fuse_attention, kOptional},
    {"keep_pool_taps", passes::keep_pool_taps, kOptional},
    {"fuse_elementwise", passes::fuse_elementwise, kOptional},
    {"match_channel_shuffle", passes::match_channel_shuffle, kOptional},
    {"fold_channel_shuffle", passes::fold_channel_shuffle, kOptional},
    {"choose_layout", passes::choose_layout, kOptional},
    {"concat_in_place", passes::concat_in_place, kOptional},
};

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

void dump(const Graph& graph, const Pass& pass, std::size_t number, const std::string& folder) {
  mkdir(folder.c_str(), 0777);  // errors appear on opening
  const std::string path = fmt::format("{}/{:02}_{}.ir", folder, number, pass.name);
  std::FILE* out = std::fopen(path.c_str(), "w");
  if (!out) throw FatalError(exit_code::io, path + ": cannot write");
  terminal::print_document(out, print(graph));
  const bool written = !std::ferror(out);
  if (std::fclose(out) != 0 || !written) throw FatalError(exit_code::io, path + ": cannot write");
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

void run_pipeline(Graph& graph, PassContext& context) {
  if (context.diagnostics.has_errors()) return run_checks(graph, context);
  const std::string& folder = context.options.dump_ir;
  for (std::size_t i = 0; i < std::size(kPipeline); ++i) {
    const Pass& pass = kPipeline[i];
    if (context.diagnostics.has_errors()) {
      if (pass.is(Pass::checks)) pass.run(graph, context);
      continue;
    }
    if (!pass.is(Pass::optional) || !context.options.plain) run_pass(graph, pass, context);
    if (!folder.empty()) dump(graph, pass, i, folder);
    if (context.diagnostics.has_errors()) continue;
    if (graph.nodes.size() <= kAlwaysVerify || i + 1 == std::size(kPipeline)) check(graph, pass);
  }
}

}  // namespace onnxc

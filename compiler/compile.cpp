// The pipeline: import, passes, schedule, emit.
#include "compiler/compile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "compiler/emit/dependency_file.hpp"
#include "compiler/emit/emit.hpp"
#include "compiler/emit/names.hpp"
#include "compiler/emit/report.hpp"
#include "compiler/emit/writer.hpp"
#include "compiler/import/import.hpp"
#include "compiler/passes/pass.hpp"
#include "compiler/schedule/schedule.hpp"
#include "compiler/support/checked.hpp"

namespace onnxc {
namespace {

Program build_program(Model& model, const CompileOptions& options, const Target& target,
                      Diagnostics& diagnostics) {
  PassContext context{options, target, diagnostics};
  run_pipeline(model.graph, context);
  if (diagnostics.has_errors()) return {};
  Program program = lower_graph(model.graph, options, target, diagnostics);
  if (diagnostics.has_errors()) return program;
  remove_dead_steps(program);
  fuse_depthwise(program);
  fuse_conv_pool(program);
  plan_threads(program, options.threads, target);
  plan_memory(program);
  name_steps(program);
  if (!options.profile) outline_functions(program, model.calls);
  if (options.no_heap) refuse_heap(program, diagnostics);
  return program;
}

// The name by which generated files include each other.
FileStem stem_of(const std::string& base) {
  const std::string name = std::filesystem::path(base).filename().string();
  const auto stem = FileStem::from(name);
  if (!stem)
    throw FatalError(exit_code::usage,
                     fmt::format("generated code cannot include '{}.h': choose a name of printable "
                                 "ASCII without \" \\ * ? with -o",
                                 name));
  return *stem;
}

// Everything the emitters need; `base` is the path of the files without extensions.
EmitContext make_context(const Model& model, const Program& program, const Target& target,
                         const CompileOptions& options, const std::string& base) {
  EmitContext c{model, program, target, options, {}, {}, stem_of(base), {}, {}, {}, 0, {}};
  c.name = interface_prefix(options.name.empty() ? c.stem.text() : options.name);
  c.name_space = options.name_space.empty() ? c.name.text() : options.name_space;
  const auto reserved = interface_names(c.name);
  c.inputs = make_ports(program, program.inputs, model.graph.inputs, reserved);
  c.outputs = make_ports(program, program.outputs, model.graph.outputs, reserved);
  c.reserved = source_names(c);
  c.weights = plan_weights(program, options.weights, c.reserved);
  c.macs = total_macs(program);
  return c;
}

void emit_all(EmitContext& context, const CompileOptions& options, CompileResult& r) {
  r.files = emit_files(context, r.base);
  for (const std::string& path : options.reports)
    r.files.push_back(
        {path, path.ends_with(".html") ? html_report(context) : json_report(context)});
  if (options.write_depfile)
    r.files.push_back({options.depfile.empty() ? r.base + ".d" : options.depfile,
                       dependency_rule(r.base + ".cpp", r.model_files)});
}

}  // namespace

CompileResult compile(const CompileOptions& options, Diagnostics& diagnostics) {
  CompileResult r;
  Target target = make_target(options.target);
  if (options.optimize_size) target.gemm_rows = std::min(target.gemm_rows, 4);
  Model model = import_model(options.model, diagnostics, options.overridden_initializers);
  if (diagnostics.has_errors()) return r;
  Program program;
  try {
    program = build_program(model, options, target, diagnostics);
  } catch (const OverflowError& e) {
    diagnostics.error("overflow", "", e.what());
  }
  if (diagnostics.has_errors()) return r;
  r.base = options.output_base.empty() ? std::filesystem::path(options.model).stem().string()
                                       : options.output_base;
  EmitContext context = make_context(model, program, target, options, r.base);
  r.name = context.name;
  r.inputs = context.inputs;
  r.outputs = context.outputs;
  r.uses_heap = program.uses_heap();
  r.has_pool = uses_pool(context);
  r.arena_bytes = program.arena_bytes;
  r.arena_lower_bound = program.lower_bound;
  r.weight_bytes = context.weights.data_bytes;
  r.macs = context.macs;
  r.steps = describe_steps(program);
  r.model_files = model.files;
  r.model_files.insert(r.model_files.begin(), options.model);
  emit_all(context, options, r);
  return r;
}

}  // namespace onnxc

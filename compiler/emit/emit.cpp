// The set of files that onnxc generates for a model.
#include "compiler/emit/emit.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "compiler/emit/kernels.hpp"
#include "compiler/interface/figures.hpp"
#include "compiler/interface/names.hpp"
#include "compiler/schedule/schedule.hpp"
#include "compiler/support/checked.hpp"
#include "compiler/support/read_file.hpp"

namespace onnxc {

InterfaceFacts facts_of(const EmitContext& c) {
  InterfaceFacts f{.prefix = c.name, .stem = c.stem.text()};
  f.open_sizes = has_open_sizes(c);
  f.heap = c.program.uses_heap();
  f.external_weights = c.weights.mode == WeightsMode::external;
  for (const ArenaRegion& r : c.program.regions)
    f.memories.push_back({identifier_from(r.name), r.bytes});
  f.hook = c.options.hook;
  f.pool = uses_pool(c);
  f.devices = c.program.communicates();
  f.probes = c.program.has_probes();
  f.state = c.training && c.kind == EmitContext::Kind::run;
  f.rows = has_row_input(c);
  f.training = c.training != nullptr;
  f.self_test = c.self_test != nullptr;
  return f;
}

std::set<std::string> training_names(const Identifier& prefix, const TrainingContext& training) {
  std::set<std::string> names;
  for (const char* lower : {"train", "train_inputs", "train_outputs", "reset", "init"})
    names.insert(prefix + "_" + lower);
  for (const char* upper : {"BAD_STATE", "STATE_BYTES", "STATE_ALIGN", "TRAIN_ARENA_BYTES"})
    names.insert(upper_case(prefix) + "_" + upper);
  for (const EmitContext& c : training.functions) names.insert(prefix + "_" + c.function);
  for (const char* local : {"state", "seed"}) names.insert(local);
  return names;
}

std::size_t TrainingContext::count(EmitContext::Kind kind) const {
  return static_cast<std::size_t>(std::count_if(
      functions.begin(), functions.end(), [kind](const EmitContext& c) { return c.kind == kind; }));
}

std::set<std::string> source_headers(const EmitContext& context) {
  std::set<std::string> headers;
  bool chunks = false;
  each_function(context, [&](const EmitContext& c) {
    headers.merge(kernel_headers(c.program));
    chunks = chunks || has_chunks(c.program);
  });
  if (context.program.communicates()) headers.insert("meet");
  if (any_open_sizes(context)) headers.insert("input_sizes");
  if (chunks || uses_pool(context)) {
    headers.insert("threads");
    headers.insert(context.options.openmp ? "openmp_team" : "thread_pool");
  }
  return headers;
}

std::set<std::string> source_names(const EmitContext& context) {
  std::set<std::string> names = interface_names(context.name);
  if (context.training) names.merge(training_names(context.name, *context.training));
  names.merge(header_names(source_headers(context)));
  each_function(context, [&](const EmitContext& c) {
    for (const Step& s : c.program.steps) names.insert(s.kernel);
  });
  for (const char* local :
       {"s", "caller", "heap", "next", "report", "writer", "kAlignment", "ONNXC_WEIGHTS_SECTION",
        "chunk", "team", "threads", "Team", "RunThreads", "none"})
    names.insert(local);
  if (!context.options.selftest.empty()) names.insert("recorded");
  if (context.options.hook) names.insert("cancelled");
  if (has_row_input(context)) names.insert("next_image_rows");
  for (const ArenaRegion& r : context.program.regions) names.insert("memory_" + r.name);
  if (context.options.steps) names.merge(std::set<std::string>{"first", "last"});
  return names;
}

std::map<std::string, std::string> user_headers(const EmitContext& context) {
  std::map<std::string, std::string> headers;
  for (const auto& [name, path] : context.options.operators)
    headers.emplace(path, std::filesystem::path(path).filename().string());
  return headers;
}

CommentText work_comment(const EmitContext& c) {
  const auto exact = c.macs.constant();
  return shape_comment(exact ? fmt::format("{} MAC", *exact)
                             : macs_text(c.macs, c.program.at_most(c.macs)));
}

std::vector<GeneratedFile> emit_files(EmitContext& context, const std::string& base) {
  std::vector<GeneratedFile> files;
  files.push_back({base + ".cpp", emit_source(context)});
  files.push_back({base + ".h", emit_header(context)});
  const std::string folder = base.substr(0, base.size() - context.stem.text().size());
  files.push_back({folder + "onnxc_runtime.hpp", runtime_header(context.target)});
  for (const auto& [path, name] : user_headers(context))
    files.push_back({folder + name, read_file(path)});
  const WeightsMode mode = context.weights.mode;
  if (context.weights.has_source())
    files.push_back(
        {base + "_weights.cpp", emit_weights_source(context.weights, context.name, context.stem)});
  if (mode == WeightsMode::incbin || mode == WeightsMode::external)
    files.push_back({base + "_weights.bin", weights_blob(context.weights)});
  return files;
}

}  // namespace onnxc

// The set of files that onnxc generates for a model.
#include <algorithm>

#include "compiler/emit/emit.hpp"
#include "compiler/emit/kernels.hpp"
#include "compiler/emit/names.hpp"
#include "compiler/schedule/schedule.hpp"
#include "compiler/support/checked.hpp"

namespace onnxc {

std::vector<Port> make_ports(const std::vector<Value*>& values,
                             const std::set<std::string>& reserved) {
  std::vector<Port> ports;
  NameScope names;
  for (const std::string& name : reserved) names.reserve(name);
  // Members that the interface may have itself.
  for (const char* member :
       {"weights_", "allocator_", "pool_", "hook_", "state_", "devices_", "unused_"})
    names.reserve(member);
  for (const Value* value : values) {
    Port p;
    p.name = value->name;
    p.identifier = names.unique(identifier_from(p.name));
    p.elem = value->type.elem;
    p.type = value->type;
    if (p.is_object()) {
      for (const char* suffix : {"_memory", "_capacity", "_size"})
        names.reserve(p.identifier + suffix);
      ports.push_back(std::move(p));
      continue;
    }
    p.shape = *value->type.shape;
    for (const Dim& d : p.shape) p.dims.push_back(d.is_const() ? d.value() : -1);
    p.elements = product(p.shape).constant().value_or(-1);
    for (const char* suffix : {"_text", "_text_capacity", "_text_size"})
      if (p.elem == ElemType::string) names.reserve(p.identifier + suffix);
    for (const char* suffix : {"_dims", "_capacity"})
      if (p.is_dynamic()) names.reserve(p.identifier + suffix);
    ports.push_back(std::move(p));
  }
  return ports;
}

std::set<std::string> interface_names(const Identifier& prefix) {
  std::set<std::string> names;
  for (const char* lower :
       {"run",      "info",       "model_info", "port_info",    "status_text", "status",
        "inputs",   "outputs",    "bool",       "weights_data", "allocator",   "string",
        "value",    "pool",       "pool_start", "pool_stop",    "hook",        "run_steps",
        "selftest", "difference", "devices",    "meet",         "rows"})
    names.insert(prefix + "_" + lower);
  for (const char* upper : {"OK",
                            "BAD_ARGUMENT",
                            "BAD_SHAPE",
                            "BAD_INDEX",
                            "OUT_OF_MEMORY",
                            "BAD_VALUE",
                            "TOO_SMALL",
                            "API_VERSION",
                            "ARENA_BYTES",
                            "ARENA_ALIGN",
                            "WEIGHTS_BYTES",
                            "WEIGHTS_ALIGN",
                            "WEIGHTS_SECTION",
                            "THREADS",
                            "POOL_BYTES",
                            "CANCELLED",
                            "STEPS",
                            "DIFFERS",
                            "SELFTEST_BYTES",
                            "CODE_BYTES",
                            "STACK_BYTES",
                            "DEVICE",
                            "DEVICES",
                            "DEVICE_FAILED"})
    names.insert(upper_case(prefix) + "_" + upper);
  return names;
}

bool is_interface_word(const Identifier& prefix, const std::string& memory) {
  const std::set<std::string> members = {"arena", "allocator", "hook",   "in",
                                         "out",   "state",     "unused", "devices"};
  const Identifier macro = upper_case(prefix).with(upper_case(identifier_from(memory)));
  return members.count(memory) != 0 || interface_names(prefix).count(macro + "_BYTES") != 0;
}

Identifier interface_prefix(std::string_view wanted) {
  const Identifier prefix = identifier_from(wanted);
  const auto names = interface_names(prefix);
  const bool taken =
      is_reserved(prefix.text()) || std::any_of(names.begin(), names.end(), is_defined);
  return taken ? prefix.with("_model") : prefix;
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

std::vector<GeneratedFile> emit_files(EmitContext& context, const std::string& base) {
  std::vector<GeneratedFile> files;
  files.push_back({base + ".cpp", emit_source(context)});
  files.push_back({base + ".h", emit_header(context)});
  const std::string folder = base.substr(0, base.size() - context.stem.text().size());
  files.push_back({folder + "onnxc_runtime.hpp", runtime_header()});
  const WeightsMode mode = context.weights.mode;
  if (context.weights.has_source())
    files.push_back(
        {base + "_weights.cpp", emit_weights_source(context.weights, context.name, context.stem)});
  if (mode == WeightsMode::incbin || mode == WeightsMode::external)
    files.push_back({base + "_weights.bin", weights_blob(context.weights)});
  return files;
}

}  // namespace onnxc

// The set of files that onnxc generates for a model.
#include <algorithm>

#include "compiler/emit/emit.hpp"
#include "compiler/emit/kernels.hpp"
#include "compiler/emit/names.hpp"
#include "compiler/schedule/schedule.hpp"
#include "compiler/support/checked.hpp"

namespace onnxc {

std::vector<Port> make_ports(const Program& program, const std::vector<BufferId>& buffers,
                             const std::vector<Value*>& values,
                             const std::set<std::string>& reserved) {
  std::vector<Port> ports;
  NameScope names;
  for (const std::string& name : reserved) names.reserve(name);
  // Members that the interface may have itself.
  for (const char* member : {"weights_", "allocator_", "pool_", "unused_"}) names.reserve(member);
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    Port p;
    p.name = values[i]->name;
    p.identifier = names.unique(identifier_from(p.name));
    p.elem = program.at(buffers[i]).elem;
    p.type = values[i]->type;
    if (p.is_object()) {
      for (const char* suffix : {"_memory", "_capacity", "_size"})
        names.reserve(p.identifier + suffix);
      ports.push_back(std::move(p));
      continue;
    }
    p.shape = *values[i]->type.shape;
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
  for (const char* lower : {"run", "status", "inputs", "outputs", "bool", "weights_data",
                            "allocator", "string", "value", "pool", "pool_start", "pool_stop"})
    names.insert(prefix + "_" + lower);
  for (const char* upper :
       {"OK", "BAD_ARGUMENT", "BAD_SHAPE", "BAD_INDEX", "OUT_OF_MEMORY", "BAD_VALUE", "TOO_SMALL",
        "ARENA_BYTES", "ARENA_ALIGN", "WEIGHTS_BYTES", "WEIGHTS_SECTION", "THREADS", "POOL_BYTES"})
    names.insert(upper_case(prefix) + "_" + upper);
  return names;
}

Identifier interface_prefix(std::string_view wanted) {
  const Identifier prefix = identifier_from(wanted);
  const auto names = interface_names(prefix);
  const bool taken =
      is_reserved(prefix.text()) || std::any_of(names.begin(), names.end(), is_defined);
  return taken ? prefix.with("_model") : prefix;
}

std::set<std::string> source_headers(const EmitContext& context) {
  std::set<std::string> headers = kernel_headers(context.program);
  if (has_chunks(context.program) || uses_pool(context)) {
    headers.insert("threads");
    headers.insert(context.options.openmp ? "openmp_team" : "thread_pool");
  }
  return headers;
}

std::set<std::string> source_names(const EmitContext& context) {
  std::set<std::string> names = interface_names(context.name);
  names.merge(header_names(source_headers(context)));
  for (const Step& s : context.program.steps) names.insert(s.kernel);
  for (const char* local :
       {"s", "caller", "heap", "next", "report", "writer", "kAlignment", "ONNXC_WEIGHTS_SECTION",
        "chunk", "team", "threads", "Team", "RunThreads"})
    names.insert(local);
  return names;
}

std::vector<GeneratedFile> emit_files(EmitContext& context, const std::string& base) {
  std::vector<GeneratedFile> files;
  files.push_back({base + ".cpp", emit_source(context)});
  files.push_back({base + ".h", emit_header(context)});
  const std::string folder = base.substr(0, base.size() - context.stem.text().size());
  files.push_back({folder + "onnxc_runtime.hpp", runtime_header()});
  const WeightsMode mode = context.weights.mode;
  if (mode == WeightsMode::incbin || mode == WeightsMode::string_literals)
    files.push_back({base + "_weights.cpp", emit_weights_source(context)});
  if (mode == WeightsMode::incbin || mode == WeightsMode::external)
    files.push_back({base + "_weights.bin", weights_blob(context)});
  return files;
}

}  // namespace onnxc

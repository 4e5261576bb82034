// The set of files that a model becomes.
#include "compiler/emit/emit.hpp"
#include "compiler/emit/kernels.hpp"
#include "compiler/emit/names.hpp"
#include "compiler/support/checked.hpp"

namespace onnxc {

std::vector<Port> make_ports(const Program& program, const std::vector<BufferId>& buffers,
                             const std::vector<Value*>& values) {
  std::vector<Port> ports;
  NameScope names;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    Port p;
    p.name = values[i]->name;
    p.identifier = names.unique(identifier_from(p.name));
    p.elem = program.at(buffers[i]).elem;
    p.dims = fixed(*values[i]->type.shape);
    p.elements = checked_product(p.dims);
    ports.push_back(std::move(p));
  }
  return ports;
}

std::vector<GeneratedFile> emit_files(EmitContext& context, const std::string& base) {
  const std::string folder = base.substr(0, base.size() - context.stem.size());
  std::vector<GeneratedFile> files;
  files.push_back({base + ".cpp", emit_source(context)});
  files.push_back({base + ".h", emit_header(context)});
  files.push_back({folder + "onnxc_runtime.hpp", runtime_header()});
  const WeightsMode mode = context.weights.mode;
  if (mode == WeightsMode::incbin || mode == WeightsMode::string_literals)
    files.push_back({base + "_weights.cpp", emit_weights_source(context)});
  if (mode == WeightsMode::incbin || mode == WeightsMode::external)
    files.push_back({base + "_weights.bin", weights_blob(context)});
  return files;
}

}  // namespace onnxc

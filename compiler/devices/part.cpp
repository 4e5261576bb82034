// One device's part of a model.
#include "compiler/devices/part.hpp"

#include <fmt/format.h>

#include "compiler/devices/local_graph.hpp"

namespace onnxc::devices {

const DeviceConfiguration* find_configuration(const Model& model, const std::string& name,
                                              Diagnostics& diagnostics) {
  std::string known;
  for (const DeviceConfiguration& c : model.configurations) {
    if (c.name == name) return &c;
    known += fmt::format("{}{}", known.empty() ? "; it has " : ", ", quoted(c.name));
  }
  diagnostics.error("devices", "--devices",
                    fmt::format("the model has no configuration {}{}", quoted(name), known));
  return nullptr;
}

void make_part(const Model& model, const DeviceConfiguration& configuration, int device,
               Model& part, Diagnostics& diagnostics) {
  const Plan plan = plan_devices(model.graph, configuration, diagnostics);
  if (diagnostics.has_errors()) return;
  part.path = model.path;
  part.ir_version = model.ir_version;
  part.producer = model.producer;
  part.producer_version = model.producer_version;
  part.domain = model.domain;
  part.doc = model.doc;
  part.licence = model.licence;
  part.sha256 = model.sha256;
  part.opset_imports = model.opset_imports;
  part.metadata = model.metadata;
  part.files = model.files;
  part.configurations = model.configurations;
  OwnDevice own;
  own.number = device;
  own.count = configuration.count;
  own.plan = hash_of(plan);
  make_local_graph(model.graph, plan, own, part.graph);
  part.device = own;
}

}  // namespace onnxc::devices

// The devices' parts of a model.
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

namespace {

std::unique_ptr<Model> make_part(const Model& model, const Plan& plan, std::uint64_t hash,
                                 const DeviceConfiguration& configuration, int device) {
  auto part = std::make_unique<Model>();
  static_cast<ModelHeader&>(*part) = model;
  OwnDevice own;
  own.number = device;
  own.count = configuration.count;
  own.plan = hash;
  make_local_graph(model.graph, plan, own, part->graph);
  part->device = own;
  return part;
}

}  // namespace

std::vector<std::unique_ptr<Model>> make_parts(const Model& model,
                                               const DeviceConfiguration& configuration, int device,
                                               Diagnostics& diagnostics) {
  const Plan plan = plan_devices(model.graph, configuration, diagnostics);
  if (diagnostics.has_errors()) return {};
  const auto hash = hash_of(plan);
  std::vector<std::unique_ptr<Model>> parts;
  for (int d = 0; d < configuration.count; ++d)
    if (device < 0 || d == device) parts.push_back(make_part(model, plan, hash, configuration, d));
  return parts;
}

}  // namespace onnxc::devices

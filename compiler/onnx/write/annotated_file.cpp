// Writes annotations for several devices.
#include "compiler/onnx/write/annotated_file.hpp"

#include <algorithm>

#include "compiler/onnx/read/model_file.hpp"
#include "proto/onnx.pb.h"

namespace onnxc {
namespace {

constexpr std::int64_t kFirstIrWithDevices = 11;

// Removes what the nodes say about a configuration. The nesting was limited on reading.
template <class Nodes>
void remove(Nodes& nodes, const std::string& configuration) {
  for (pb::NodeProto& node : nodes) {
    auto& list = *node.mutable_device_configurations();
    for (int i = list.size(); i-- > 0;)
      if (list.Get(i).configuration_id() == configuration) list.DeleteSubrange(i, 1);
    for (pb::AttributeProto& a : *node.mutable_attribute()) {
      if (a.has_g()) remove(*a.mutable_g()->mutable_node(), configuration);
      for (pb::GraphProto& g : *a.mutable_graphs()) remove(*g.mutable_node(), configuration);
    }
  }
}

void write_axis(const ShardedAxis& axis, pb::ShardedDimProto& dim) {
  dim.set_axis(axis.axis);
  for (const AxisFactor& factor : axis.factors) {
    pb::SimpleShardedDimProto& part = *dim.add_simple_sharding();
    if (factor.extent && factor.extent->is_const()) part.set_dim_value(factor.extent->value());
    part.set_num_shards(factor.shards);
  }
}

// A group of several devices gets a key.
void write_groups(const ShardingSpec& spec, pb::ShardingSpecProto& proto) {
  std::int64_t key = 0;
  for (const std::vector<int>& group : spec.groups) {
    if (group.size() == 1) {
      proto.add_device(group[0]);
      continue;
    }
    proto.add_device(--key);
    pb::IntIntListEntryProto& entry = *proto.add_index_to_device_group_map();
    entry.set_key(key);
    for (const int device : group) entry.add_value(device);
  }
}

bool says(const pb::NodeDeviceConfigurationProto& proto, const std::string& tensor) {
  const auto& specs = proto.sharding_spec();
  return std::any_of(specs.begin(), specs.end(),
                     [&](const auto& spec) { return spec.tensor_name() == tensor; });
}

pb::NodeDeviceConfigurationProto& annotation(pb::NodeProto& node, const std::string& name) {
  for (auto& devices : *node.mutable_device_configurations())
    if (devices.configuration_id() == name) return devices;
  auto& devices = *node.add_device_configurations();
  devices.set_configuration_id(name);
  return devices;
}

void write_configuration(const DeviceConfiguration& configuration, pb::ModelProto& model) {
  auto& list = *model.mutable_configuration();
  auto found = std::find_if(list.begin(), list.end(),
                            [&](const auto& c) { return c.name() == configuration.name; });
  pb::DeviceConfigurationProto& proto = found == list.end() ? *list.Add() : *found;
  proto.Clear();
  proto.set_name(configuration.name);
  proto.set_num_devices(configuration.count);
  for (const std::string& device : configuration.devices) proto.add_device(device);
}

}  // namespace

AnnotatedFile::AnnotatedFile(const ModelFile& file, bool moves, Diagnostics& diagnostics)
    : proto_(file.proto) {
  if (!proto_) return;
  if (moves && reader::has_external_data(*proto_))
    diagnostics.error("cannot-shard", "-o",
                      "the model has external data, so the new one must be in the same folder");
  for (int i = 0; i < proto_->graph().node_size(); ++i) {
    const pb::NodeProto& node = proto_->graph().node(i);
    const auto entry = std::make_shared<Entry>();
    entry->index = i;
    entry->operands.insert(node.input().begin(), node.input().end());
    entry->operands.insert(node.output().begin(), node.output().end());
    entry->operands.erase("");
    for (const std::string& name : node.output()) nodes_.emplace(name, entry);
  }
}

const AnnotatedFile::Entry* AnnotatedFile::entry_of(const Node& node) const {
  for (const Value* v : node.outputs)
    if (v)
      if (const auto it = nodes_.find(v->name); it != nodes_.end()) return it->second.get();
  return nullptr;
}

bool AnnotatedFile::can_name(const Node& node, const Value& value) const {
  const Entry* const entry = entry_of(node);
  return entry && entry->operands.count(value.name) != 0;
}

std::string AnnotatedFile::bytes_with(const Graph& graph, const DeviceConfiguration& configuration,
                                      std::size_t& count) {
  pb::ModelProto& model = *proto_;
  remove(*model.mutable_graph()->mutable_node(), configuration.name);
  for (auto& function : *model.mutable_functions())
    remove(*function.mutable_node(), configuration.name);
  write_configuration(configuration, model);
  std::set<int> annotated;
  for (const auto& node : graph.nodes) {
    const Entry* const entry = node->devices ? entry_of(*node) : nullptr;
    if (!entry) continue;
    for (const NodeDevices& devices : *node->devices) {
      if (devices.configuration != configuration.name) continue;
      annotated.insert(entry->index);
      auto& proto =
          annotation(*model.mutable_graph()->mutable_node(entry->index), configuration.name);
      if (devices.stage) proto.set_pipeline_stage(*devices.stage);
      for (const ShardingSpec& spec : devices.specs) {
        if (!entry->operands.count(spec.value->name) || says(proto, spec.value->name)) continue;
        auto& out = *proto.add_sharding_spec();
        out.set_tensor_name(spec.value->name);
        write_groups(spec, out);
        for (const ShardedAxis& axis : spec.axes) write_axis(axis, *out.add_sharded_dim());
      }
    }
  }
  model.set_ir_version(std::max(model.ir_version(), kFirstIrWithDevices));
  count = annotated.size();
  return model.SerializeAsString();
}

}  // namespace onnxc

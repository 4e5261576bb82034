// Reads and checks annotations for several devices; devices::resolve checks what needs shapes.
#include "compiler/onnx/read/devices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "compiler/onnx/read/scope.hpp"
#include "proto/onnx.pb.h"

namespace onnxc::reader {
namespace {

constexpr int kMaxDevices = 1024, kMaxConfigurations = 100;

// "sharding_spec "x"", or its position while it has no name.
std::string item(const char* list, const std::string& name, std::size_t index) {
  return name.empty() ? fmt::format("{} {}", list, index)
                      : fmt::format("{} {}", list, quoted(name));
}

void check_device_names(const pb::DeviceConfigurationProto& proto, const Location& where,
                        Context& context) {
  if (proto.device().empty()) return;
  if (proto.device_size() != proto.num_devices())
    context.error("bad-configuration", where + ", device",
                  fmt::format("the number of names, {}, is not num_devices, {}",
                              proto.device_size(), proto.num_devices()));
  std::set<std::string_view> names;
  for (const std::string& name : proto.device())
    if (!names.insert(name).second)
      context.diagnostics.warning("duplicate-device", where + ", device",
                                  quoted(name) + " is the name of several devices");
}

bool has_device_count(const pb::DeviceConfigurationProto& proto, const Location& where,
                      Context& context) {
  if (!proto.has_num_devices())
    context.error("bad-configuration", where, "num_devices is missing");
  else if (proto.num_devices() <= 0)
    context.error("bad-configuration", where,
                  fmt::format("num_devices is {}", proto.num_devices()));
  else if (proto.num_devices() > kMaxDevices)
    context.error(
        "too-large", where,
        fmt::format("num_devices {} is over the limit of {}", proto.num_devices(), kMaxDevices));
  else
    return true;
  return false;
}

// The annotations of one node.
class DeviceReader {
 public:
  DeviceReader(const pb::NodeProto& proto, const Node& node, const Scope& frame, Context& context)
      : proto_(proto), context_(context), place_(frame.place + describe(node)) {
    for (int i = 0; i < proto.input_size(); ++i)
      operands_.emplace(proto.input(i), node.inputs[static_cast<std::size_t>(i)]);
    for (int i = 0; i < proto.output_size(); ++i)
      operands_.emplace(proto.output(i), node.outputs[static_cast<std::size_t>(i)]);
  }

  std::vector<NodeDevices> run() {
    std::vector<NodeDevices> list;
    for (int i = 0; i < proto_.device_configurations_size(); ++i) {
      const auto& entry = proto_.device_configurations(i);
      where_ = place_ + ", " +
               item("device_configurations", entry.configuration_id(), static_cast<std::size_t>(i));
      if (names_configuration(entry)) list.push_back(read(entry));
    }
    return list;
  }

 private:
  void error(const char* id, const Location& where, const std::string& message) {
    bad_ = true;
    context_.error(id, where, message);
  }

  bool names_configuration(const pb::NodeDeviceConfigurationProto& proto) {
    const std::string& name = proto.configuration_id();
    const auto found = context_.device_counts.find(name);
    if (name.empty())
      error("bad-configuration", where_, "configuration_id is missing");
    else if (found == context_.device_counts.end())
      error("bad-configuration", where_, "is no configuration of the model");
    else if (!configurations_.insert(name).second)
      error("bad-configuration", where_, "is given twice");
    else
      devices_ = found->second;
    return found != context_.device_counts.end();
  }

  void report_negative_stage(const pb::NodeDeviceConfigurationProto& proto) {
    const std::string message =
        fmt::format("pipeline_stage {} is negative", proto.pipeline_stage());
    if (proto.configuration_id() == context_.devices)
      error("pipeline-stage", where_, message);
    else
      context_.diagnostics.warning("pipeline-stage", where_, message + " and ignored");
  }

  NodeDevices read(const pb::NodeDeviceConfigurationProto& proto) {
    NodeDevices devices;
    devices.configuration = proto.configuration_id();
    if (proto.has_pipeline_stage() && proto.pipeline_stage() < 0)
      report_negative_stage(proto);
    else if (proto.has_pipeline_stage())
      devices.stage = proto.pipeline_stage();
    std::set<std::string_view> tensors;
    for (int i = 0; i < proto.sharding_spec_size(); ++i) {
      const auto& spec = proto.sharding_spec(i);
      const std::string where =
          where_ + ", " + item("sharding_spec", spec.tensor_name(), static_cast<std::size_t>(i));
      if (spec.tensor_name().empty())
        error("bad-sharding", where, "tensor_name is missing");
      else if (!tensors.insert(spec.tensor_name()).second)
        error("bad-sharding", where, "is given twice");
      else
        read_spec(spec, where, devices.specs);
    }
    return devices;
  }

  void read_spec(const pb::ShardingSpecProto& proto, const Location& where,
                 std::vector<ShardingSpec>& specs) {
    bad_ = false;
    const auto operand = operands_.find(proto.tensor_name());
    if (operand == operands_.end())
      error("bad-sharding", where, "is neither an input nor an output of the node");
    ShardingSpec spec;
    spec.groups = read_groups(proto, where);
    spec.axes = read_axes(proto, where);
    if (bad_) return;
    if (proto.device().empty() && proto.sharded_dim().empty())
      return context_.diagnostics.warning("no-device", where, "names no device and is ignored");
    spec.value = operand->second;
    if (fits_shards(spec, where) && spec.value) specs.push_back(std::move(spec));
  }

  // ---- devices ----------------------------------------------------------------------------------

  bool is_device(std::int64_t number) const { return number >= 0 && number < devices_; }

  using Map = std::map<std::int64_t, std::vector<int>>;

  std::vector<int> read_group(const pb::IntIntListEntryProto& entry, const Location& where) {
    std::vector<int> group;
    for (const std::int64_t number : entry.value())
      if (is_device(number))
        group.push_back(static_cast<int>(number));
      else
        error("bad-device", where, fmt::format("device {} is outside [0, {})", number, devices_));
    if (entry.value().empty()) error("bad-device", where, "the group is empty");
    return group;
  }

  Map read_map(const pb::ShardingSpecProto& proto, const Location& place) {
    Map map;
    for (int i = 0; i < proto.index_to_device_group_map_size(); ++i) {
      const auto& entry = proto.index_to_device_group_map(i);
      const std::string list = place + ", index_to_device_group_map";
      if (!entry.has_key()) {
        error("bad-device", fmt::format("{} {}", list, i), "key is missing");
        continue;
      }
      const Location where = fmt::format("{} key {}", list, entry.key());
      if (!map.emplace(entry.key(), read_group(entry, where)).second)
        error("bad-device", where, "is given twice");
    }
    return map;
  }

  std::vector<std::vector<int>> read_groups(const pb::ShardingSpecProto& proto,
                                            const Location& place) {
    const Location where = place + ", device";
    const Map map = read_map(proto, place);
    std::vector<std::vector<int>> groups;
    std::set<std::int64_t> numbers;
    for (const std::int64_t number : proto.device()) {
      if (!numbers.insert(number).second)
        error("bad-device", where, fmt::format("has {} twice", number));
      else if (const auto entry = map.find(number); entry != map.end())
        groups.push_back(entry->second);
      else if (is_device(number))
        groups.push_back({static_cast<int>(number)});
      else
        error("bad-device", where,
              number < 0 ? fmt::format("{} is no key of index_to_device_group_map", number)
                         : fmt::format("{} is outside [0, {})", number, devices_));
    }
    std::set<int> seen;
    for (const auto& group : groups)
      for (const int device : group)
        if (!seen.insert(device).second)
          error("bad-device", where, fmt::format("has device {} twice", device));
    return groups;
  }

  // ---- axes -------------------------------------------------------------------------------------

  std::vector<ShardedAxis> read_axes(const pb::ShardingSpecProto& proto, const Location& place) {
    std::vector<ShardedAxis> axes;
    for (int i = 0; i < proto.sharded_dim_size(); ++i) {
      const auto& dim = proto.sharded_dim(i);
      const Location where = place + fmt::format(", sharded_dim {}", i);
      if (!dim.has_axis())
        error("bad-sharding", where, "axis is missing");
      else if (dim.axis() != static_cast<int>(dim.axis()))
        error("bad-sharding", where, fmt::format("axis {} is outside of every rank", dim.axis()));
      if (dim.simple_sharding().empty()) error("bad-sharding", where, "simple_sharding is empty");
      axes.push_back({static_cast<int>(dim.axis()), read_factors(dim, where)});
    }
    return axes;
  }

  std::vector<AxisFactor> read_factors(const pb::ShardedDimProto& proto, const Location& place) {
    std::vector<AxisFactor> factors;
    int open = 0;
    for (int i = 0; i < proto.simple_sharding_size(); ++i) {
      const auto& simple = proto.simple_sharding(i);
      const Location where = place + fmt::format(", simple_sharding {}", i);
      if (!simple.has_num_shards())
        error("bad-sharding", where, "num_shards is missing");
      else if (simple.num_shards() < 1)
        error("bad-sharding", where, fmt::format("num_shards is {}", simple.num_shards()));
      else if (simple.num_shards() > kMaxDevices)
        error("bad-sharding", where,
              fmt::format("{} shards for {} devices", simple.num_shards(), devices_));
      factors.push_back({read_extent(simple, where), static_cast<int>(simple.num_shards())});
      open += factors.back().extent ? 0 : 1;
    }
    if (open > 1)
      error("bad-sharding", place, "several parts of the axis have no dim_value or dim_param");
    return factors;
  }

  std::optional<Dim> read_extent(const pb::SimpleShardedDimProto& proto, const Location& where) {
    if (proto.has_dim_param() && !proto.dim_param().empty())
      return context_.symbols.named(proto.dim_param());
    if (!proto.has_dim_value()) return std::nullopt;
    if (proto.dim_value() < 0)
      error("bad-sharding", where, fmt::format("dim_value is {}", proto.dim_value()));
    return Dim(proto.dim_value());
  }

  // Without a cut all devices are one group. Devices number at most kMaxDevices.
  bool fits_shards(ShardingSpec& spec, const Location& where) {
    std::size_t shards = 1;
    for (const ShardedAxis& axis : spec.axes)
      for (const AxisFactor& factor : axis.factors)
        shards = std::min<std::size_t>(shards * static_cast<std::size_t>(factor.shards), 1u << 20);
    if (shards == 1 && spec.groups.size() > 1) {
      for (std::size_t i = 1; i < spec.groups.size(); ++i)
        spec.groups[0].insert(spec.groups[0].end(), spec.groups[i].begin(), spec.groups[i].end());
      spec.groups.resize(1);
    }
    if (spec.groups.size() == shards) return true;
    error("bad-sharding", where + ", device",
          fmt::format("the number of devices or groups, {}, is not that of the shards, {}",
                      spec.groups.size(), shards));
    return false;
  }

  const pb::NodeProto& proto_;
  Context& context_;
  Location place_, where_;
  // By name. Null: an input that the caller of a function left out.
  std::map<std::string_view, const Value*> operands_;
  std::set<std::string_view> configurations_;
  int devices_ = 0;   // of the configuration that is being read
  bool bad_ = false;  // since the beginning of a specification
};

}  // namespace

void read_configurations(const pb::ModelProto& proto, Model& model, Context& context) {
  if (proto.configuration_size() > kMaxConfigurations)
    return context.error("too-large", "configuration",
                         fmt::format("{} configurations are over the limit of {}",
                                     proto.configuration_size(), kMaxConfigurations));
  for (int i = 0; i < proto.configuration_size(); ++i) {
    const auto& entry = proto.configuration(i);
    const Location where = item("configuration", entry.name(), static_cast<std::size_t>(i));
    const bool counted = has_device_count(entry, where, context);
    if (counted) check_device_names(entry, where, context);
    const int count = counted ? entry.num_devices() : kMaxDevices;
    if (entry.name().empty())
      context.error("bad-configuration", where, "has no name");
    else if (!context.device_counts.emplace(entry.name(), count).second)
      context.error("bad-configuration", where, "is given twice");
    else if (counted)
      model.configurations.push_back(
          {entry.name(), entry.num_devices(), {entry.device().begin(), entry.device().end()}});
  }
}

DeviceList read_node_devices(const pb::NodeProto& proto, const Node& node, const Scope& frame,
                             Context& context) {
  if (proto.device_configurations().empty()) return frame.call ? frame.call->devices : nullptr;
  return std::make_shared<const std::vector<NodeDevices>>(
      DeviceReader(proto, node, frame, context).run());
}

}  // namespace onnxc::reader

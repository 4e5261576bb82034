// Annotations for several devices in text: {configuration_id: "two", pipeline_stage: 1}. The fields
// have the names of the file format, so that a field can be left out or be wrong.
#include "compiler/onnx/text/onnx_text.hpp"
#include "proto/onnx.pb.h"

namespace onnxc::reader {
namespace {

// {key: value, ...}; `field` reads the value of a key, or returns false.
template <class Field>
void read_fields(OnnxText& in, Field field) {
  read_list(in, "{", "}", [&] {
    const std::string key = in.word();
    in.expect(":");
    if (!field(key)) in.fail("there is no field " + key + " here");
  });
}

template <class List>
void read_integers(OnnxText& in, List& list) {
  read_list(in, "[", "]", [&] { *list.Add() = in.integer(); });
}

void read_simple_sharding(OnnxText& in, pb::SimpleShardedDimProto& part) {
  read_fields(in, [&](const std::string& key) {
    if (key == "dim_value")
      part.set_dim_value(in.integer());
    else if (key == "dim_param")
      part.set_dim_param(in.string_literal());
    else if (key == "num_shards")
      part.set_num_shards(in.integer());
    else
      return false;
    return true;
  });
}

void read_sharded_dim(OnnxText& in, pb::ShardedDimProto& dim) {
  read_fields(in, [&](const std::string& key) {
    if (key == "axis")
      dim.set_axis(in.integer());
    else if (key == "simple_sharding")
      read_list(in, "[", "]", [&] { read_simple_sharding(in, *dim.add_simple_sharding()); });
    else
      return false;
    return true;
  });
}

void read_map_entry(OnnxText& in, pb::IntIntListEntryProto& entry) {
  read_fields(in, [&](const std::string& key) {
    if (key == "key")
      entry.set_key(in.integer());
    else if (key == "value")
      read_integers(in, *entry.mutable_value());
    else
      return false;
    return true;
  });
}

void read_sharding_spec(OnnxText& in, pb::ShardingSpecProto& spec) {
  read_fields(in, [&](const std::string& key) {
    if (key == "tensor_name")
      spec.set_tensor_name(in.string_literal());
    else if (key == "device")
      read_integers(in, *spec.mutable_device());
    else if (key == "index_to_device_group_map")
      read_list(in, "[", "]", [&] { read_map_entry(in, *spec.add_index_to_device_group_map()); });
    else if (key == "sharded_dim")
      read_list(in, "[", "]", [&] { read_sharded_dim(in, *spec.add_sharded_dim()); });
    else
      return false;
    return true;
  });
}

}  // namespace

void read_configuration(OnnxText& in, pb::DeviceConfigurationProto& configuration) {
  read_fields(in, [&](const std::string& key) {
    if (key == "name")
      configuration.set_name(in.string_literal());
    else if (key == "num_devices")
      configuration.set_num_devices(in.integer_as<int>());
    else if (key == "device")
      read_list(in, "[", "]", [&] { configuration.add_device(in.string_literal()); });
    else
      return false;
    return true;
  });
}

void read_node_devices(OnnxText& in, pb::NodeDeviceConfigurationProto& devices) {
  read_fields(in, [&](const std::string& key) {
    if (key == "configuration_id")
      devices.set_configuration_id(in.string_literal());
    else if (key == "sharding_spec")
      read_list(in, "[", "]", [&] { read_sharding_spec(in, *devices.add_sharding_spec()); });
    else if (key == "pipeline_stage")
      devices.set_pipeline_stage(in.integer_as<int>());
    else
      return false;
    return true;
  });
}

}  // namespace onnxc::reader

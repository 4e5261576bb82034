// Several devices (IR version 11): how a model asks to be spread over them, as written. The
// annotations are hints: they never change what the model means.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/dim.hpp"

namespace onnxc {

struct Value;

// DeviceConfigurationProto. Devices are numbered from 0.
struct DeviceConfiguration {
  std::string name;
  int count = 0;
  std::vector<std::string> devices;  // their names; empty: they have none
};

// A part of an axis: of `extent` blocks, the axis has the product of those of all its factors, the
// last one varying fastest. The blocks are divided among `shards` devices or groups.
struct AxisFactor {
  std::optional<Dim> extent;  // none: not given; a single factor covers the whole axis
  int shards = 1;
  bool operator==(const AxisFactor&) const = default;
};

// ShardedDimProto.
struct ShardedAxis {
  int axis = 0;  // from the end if negative; after devices::resolve only if the rank is open
  std::vector<AxisFactor> factors;
};

// ShardingSpecProto of one operand of a node. Shard i, row-major over the factors of `axes` in
// their order, is held by every device of groups[i].
struct ShardingSpec {
  const Value* value = nullptr;
  std::vector<std::vector<int>> groups;
  std::vector<ShardedAxis> axes;
};

// NodeDeviceConfigurationProto.
struct NodeDevices {
  std::string configuration;
  std::vector<ShardingSpec> specs;
  std::optional<int> stage;
};

// A message to or from another device, or an all-reduce.
struct Exchange {
  static constexpr int kGroup = -1;
  std::int64_t tag = 0;
  int device = kGroup;  // kGroup: an all-reduce
  bool operator==(const Exchange&) const = default;
};

// The device that a program is for, where a model is spread over several.
struct OwnDevice {
  int number = 0;
  int count = 1;
  std::uint64_t plan = 0;           // hash of the messages of all devices
  std::vector<int> peers;           // the devices that it exchanges messages with
  std::vector<Exchange> exchanges;  // in the order that all devices keep
  Dim bytes_sent = 0;               // in a run, where all-reduces are done by messages
  std::int64_t messages_sent = 0;
};

}  // namespace onnxc

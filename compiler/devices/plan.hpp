// How a model is spread over the devices of a configuration: what each computes, and what they
// exchange. Made from the annotations by propagation; the same for all devices.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "compiler/devices/node_plan.hpp"
#include "compiler/support/diagnostics.hpp"

namespace onnxc::devices {

// Devices get regions of a value that they do not hold, from those that do.
struct Transfer {
  const Value* value = nullptr;
  Placement from;
  std::map<int, Region> wanted;
  std::int64_t tag = 0;
};

struct Work {
  std::shared_ptr<const NodePlan> plan;
  std::int64_t tag = 0;  // of the all-reduce, where there is one
};

using Action = std::variant<Transfer, Work>;

struct Plan {
  int devices = 1;
  std::vector<Action> actions;                   // in an order that all devices keep
  std::map<const Value*, Placement> placements;  // of values that nodes make
  // Of all other values every device has the whole.
  Placement everywhere(const Value& v) const;
};

// A part of a value on its way from one device to another: the source's part, as far as the target
// wants it.
struct Message {
  int from = 0, to = 0;
  std::vector<int> part;  // indices of the source's parts
  Region region;
};
// In an order in which every device can send and receive its own messages one by one: no two of
// them ever wait for each other.
std::vector<Message> messages_of(const Transfer& t, int devices);

// The elements that all messages of a value's transfer move, and those of an all-reduce.
Dim elements_of(const std::vector<Message>& messages);

// Reads the annotations of a configuration. The graph has types and shapes.
Plan plan_devices(const Graph& graph, const DeviceConfiguration& configuration,
                  Diagnostics& diagnostics);

// The placement that a spec asks for. The value's shape is known.
Placement placement_of(const ShardingSpec& spec);

}  // namespace onnxc::devices

// Writes annotations: spreads a model over the devices of a configuration.
#pragma once

#include <functional>
#include <vector>

#include "compiler/devices/plan.hpp"

namespace onnxc::devices {

// Whether an annotation of the node can name the value.
using CanName = std::function<bool(const Node&, const Value&)>;

struct TensorCuts {
  bool rows = false;    // convolutions are cut by rows of the image, not by output channels
  bool tables = false;  // rows of tables are cut: devices get fewer weights, and gather each row
};

// Cuts products with weights: one whose input is whole by columns of the weights, so that heads of
// attention stay whole, and one whose input is cut by rows. All else follows by propagation. The
// annotations take the place of those that the nodes have for this configuration.
void shard_tensors(Graph& graph, const DeviceConfiguration& configuration, TensorCuts cuts,
                   const CanName& can_name);

// Gives each device a sequence of nodes, with as much work as the others have, and no more weights
// than `weight_limit`. Of sequences of nearly equal work it takes those that send the least. False:
// the weights do not fit.
bool shard_stages(Graph& graph, const DeviceConfiguration& configuration,
                  std::optional<std::int64_t> weight_limit, const CanName& can_name);

// What a plan costs.
struct Forecast {
  Dim bytes_sent;                          // by all devices, in one run
  std::vector<std::int64_t> weight_bytes;  // by device
};
Forecast forecast(const Plan& plan);

// ---- parts --------------------------------------------------------------------------------------

void remove_annotations(Graph& graph, const std::string& configuration);
void annotate(Node& node, NodeDevices devices);
// A number for a dimension, to compare costs: a size that is open counts as this much.
inline constexpr std::int64_t kOpenSize = 64;
double number(const Dim& d);
// Of a value of known shape; 0 for others.
Dim bytes_of(const Value& v);

}  // namespace onnxc::devices

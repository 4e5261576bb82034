// How one node is shared by devices: which loops are cut, and which part each device computes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/devices/placement.hpp"
#include "compiler/ops/axes.hpp"

namespace onnxc::devices {

// Whether all devices know the results of a node, as constants.
bool is_known(const Node& node);

struct NodePlan {
  explicit NodePlan(const Node& n, const std::vector<int>& devices = {});

  const Node* node;
  ops::Axes axes;
  std::vector<AxisCuts> cuts;  // of each loop; empty: whole
  // What each device computes: for each loop, the indices of its parts.
  std::map<int, std::vector<std::vector<int>>> parts;

  bool is_cut() const;
  bool is_cut(int loop) const { return !cuts[static_cast<std::size_t>(loop)].empty(); }
  // The part of a loop on a device.
  AxisRegion loop_region(int device, int loop) const;
  // What a device reads of input i, or makes of output i before an all-reduce.
  Region input_region(std::size_t i, int device) const;
  // What the devices read of an operand: one part, or the whole where a node reads several parts or
  // its bodies read it.
  std::map<int, Region> operand_regions(const Value& v) const;
  Placement output_placement(std::size_t i) const;
  // The devices that have partial results of the same elements, in groups; empty: none are partial.
  std::vector<std::vector<int>> reduce_groups() const;
  bool reduces() const;               // along a loop that is cut
  ops::Axes::Kind reduction() const;  // of that loop
};

// A sharding constraint of an operand: loops are to be cut as its axes are.
struct Constraint {
  std::size_t index = 0;  // of the input, or output
  bool of_output = false;
  Placement placement;
};

// Why a constraint cannot be satisfied: the operator needs the operand in another form, or what is
// decided already contradicts it.
struct Refusal {
  enum class Kind { operator_needs, contradiction };
  Kind kind;
  std::string text;
};
// Cuts the loops of `plan` as the constraint says, for the devices of the plan, or leaves the plan
// as it was and says why.
std::optional<Refusal> satisfy(NodePlan& plan, const Constraint& constraint);

}  // namespace onnxc::devices

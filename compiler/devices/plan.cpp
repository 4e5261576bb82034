// Propagation: decides node by node, in order, where it is computed.
//
// Constraints are satisfied in this order: specs of the node's inputs, the cuts that its inputs
// have already, specs of its outputs. A spec that contradicts an earlier one is an error. An
// operand whose cut contradicts an earlier constraint is moved. An operand that is whole, by a spec
// or not, is cut as others want it, which costs nothing.
#include "compiler/devices/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace onnxc::devices {

namespace {

std::size_t rank_of(const Value& v) { return shape_of(v).size(); }

}  // namespace

Placement placement_of(const ShardingSpec& spec) {
  const Shape shape = shape_of(*spec.value);
  Placement p;
  p.axes.resize(shape.size());
  // The spec numbers its shards along its own list of axes, the placement along the value's.
  std::vector<std::pair<std::size_t, std::vector<int>>> listed;  // axis, shards of its factors
  for (const ShardedAxis& axis : spec.axes) {
    const auto a = static_cast<std::size_t>(
        axis.axis < 0 ? axis.axis + static_cast<int>(shape.size()) : axis.axis);
    std::vector<int> shards;
    for (const AxisFactor& f : axis.factors) {
      p.axes[a].push_back({axis.factors.size() == 1 ? shape[a] : *f.extent, f.shards});
      shards.push_back(f.shards);
    }
    listed.emplace_back(a, shards);
  }
  std::vector<AxisCuts> plain(shape.size());
  std::vector<std::vector<std::size_t>> kept(shape.size());
  for (std::size_t a = 0; a < shape.size(); ++a) plain[a] = normal_form(p.axes[a], kept[a]);
  for (std::size_t shard = 0; shard < spec.groups.size(); ++shard) {
    std::vector<std::vector<int>> number(shape.size());
    std::size_t rest = shard;
    for (auto axis = listed.rbegin(); axis != listed.rend(); ++axis) {
      std::vector<int>& list = number[axis->first];
      list.resize(axis->second.size());
      for (std::size_t f = list.size(); f-- > 0;) {
        list[f] = static_cast<int>(rest % static_cast<std::size_t>(axis->second[f]));
        rest /= static_cast<std::size_t>(axis->second[f]);
      }
    }
    std::vector<int> parts;
    for (std::size_t a = 0; a < shape.size(); ++a)
      for (const std::size_t k : kept[a]) parts.push_back(number[a][k]);
    for (const int device : spec.groups[shard]) p.parts[device] = parts;
  }
  p.axes = plain;
  return p;
}

Placement Plan::everywhere(const Value& v) const {
  return whole_on(all_devices(devices), rank_of(v));
}

namespace {

class Planner {
 public:
  Planner(const Graph& graph, const DeviceConfiguration& configuration, Diagnostics& diagnostics)
      : graph_(graph), configuration_(configuration), diagnostics_(diagnostics) {
    plan_.devices = configuration.count;
  }

  Plan run() {
    for (const auto& node : graph_.nodes) {
      if (is_known(*node)) continue;
      try {
        visit(*node);
      } catch (const PlacementError& e) {
        error(*node, e.what());
      } catch (const SymbolicExtent&) {
        error(*node, "cuts a dynamic dimension that has several factors");
      }
      if (diagnostics_.has_errors()) return {};
    }
    for (const Value* v : graph_.outputs) give_output(*v);
    return std::move(plan_);
  }

 private:
  Placement placement(const Value& v) const {
    const auto it = plan_.placements.find(&v);
    return it == plan_.placements.end() ? plan_.everywhere(v) : it->second;
  }

  const NodeDevices* annotation(const Node& node) const {
    if (node.devices)
      for (const NodeDevices& d : *node.devices)
        if (d.configuration == configuration_.name) return &d;
    return nullptr;
  }

  static const ShardingSpec* spec_of(const NodeDevices* a, const Value* v) {
    if (a)
      for (const ShardingSpec& s : a->specs)
        if (s.value == v) return &s;
    return nullptr;
  }

  void error(const Node& node, const std::string& message) {
    diagnostics_.error("device-conflict", describe(node), message);
  }

  // The devices that compute a node.
  std::vector<int> devices_of(const Node& node, const NodeDevices* a) const {
    std::set<int> named;
    const auto add_specs = [&](const auto& values) {
      for (const Value* v : values)
        if (const ShardingSpec* s = spec_of(a, v))
          for (const auto& group : s->groups) named.insert(group.begin(), group.end());
    };
    add_specs(node.inputs);
    if (named.empty()) add_specs(node.outputs);
    if (named.empty() && a && a->stage && *a->stage < plan_.devices) named.insert(*a->stage);
    if (!named.empty()) return {named.begin(), named.end()};
    // Where cut operands are; else where the last of them is made.
    std::vector<int> last = all_devices(plan_.devices);
    for (const Value* v : operands_of(node)) {
      const auto it = plan_.placements.find(v);
      if (it == plan_.placements.end() || v->constant) continue;
      if (it->second.is_cut())
        for (const int d : it->second.devices()) named.insert(d);
      if (it->second.parts.size() < static_cast<std::size_t>(plan_.devices))
        last = it->second.devices();
    }
    return named.empty() ? last : std::vector<int>(named.begin(), named.end());
  }

  // Satisfies a constraint, or says why not.
  void constrain(NodePlan& plan, const Constraint& constraint, bool by_spec) {
    const std::optional<Refusal> why = satisfy(plan, constraint);
    if (!why) return;
    const Node& node = *plan.node;
    const auto& values =
        constraint.of_output ? node.outputs : static_cast<const std::vector<Value*>&>(node.inputs);
    const std::string what = fmt::format("{} {}", constraint.of_output ? "output" : "input",
                                         quoted(values[constraint.index]->name));
    if (by_spec && why->kind == Refusal::Kind::contradiction && !constraint.of_output)
      return error(node,
                   fmt::format("{} {} is cut in a way that contradicts other operands: {}", what,
                               "of configuration " + quoted(configuration_.name), why->text));
    if (constraint.of_output) return;  // it is moved afterwards
    diagnostics_.note("device-move", describe(node),
                      fmt::format("{} is gathered: {}", what, why->text));
  }

  // A shard without elements is no part of anything; a stage feeds later ones.
  void check(const Node& node, const NodeDevices& a) {
    for (const ShardingSpec& s : a.specs) {
      const auto operands = operands_of(node);
      const bool reads = std::find(operands.begin(), operands.end(), s.value) != operands.end();
      const bool makes =
          std::find(node.outputs.begin(), node.outputs.end(), s.value) != node.outputs.end();
      if (!reads && !makes) continue;
      if (!s.axes.empty() && !has_known_axes(*s.value)) {
        error(node, quoted(s.value->name) + " has no known rank, as a tensor that is cut needs");
        continue;
      }
      for (const AxisCuts& axis : placement_of(s).axes)
        for (const Cut& c : axis)
          if (c.extent.is_const() && c.extent.value() < c.parts)
            error(node, fmt::format("{} has {} shards for {} elements of an axis",
                                    quoted(s.value->name), c.parts, c.extent.value()));
    }
    if (!a.stage) return;
    for (const Value* v : operands_of(node))
      if (const auto it = stages_.find(v); it != stages_.end() && it->second > *a.stage)
        error(node, fmt::format("stage {} reads {}, which the later stage {} makes", *a.stage,
                                quoted(v->name), it->second));
    for (const Value* v : node.outputs)
      if (v) stages_[v] = *a.stage;
  }

  void visit(const Node& node) {
    const NodeDevices* const a = annotation(node);
    if (a) check(node, *a);
    if (diagnostics_.has_errors()) return;
    auto made = std::make_shared<NodePlan>(node, devices_of(node, a));
    NodePlan& plan = *made;
    std::vector<bool> constrained(node.inputs.size());
    for (std::size_t i = 0; i < node.inputs.size(); ++i)
      if (const ShardingSpec* s = spec_of(a, node.inputs[i])) {
        constrained[i] = true;
        constrain(plan, {i, false, placement_of(*s)}, true);
      }
    if (diagnostics_.has_errors()) return;
    for (std::size_t i = 0; i < node.inputs.size(); ++i)
      if (!constrained[i] && node.inputs[i] && placement(*node.inputs[i]).is_cut())
        constrain(plan, {i, false, placement(*node.inputs[i])}, false);
    for (std::size_t i = 0; i < node.outputs.size(); ++i)
      if (const ShardingSpec* s = node.outputs[i] ? spec_of(a, node.outputs[i]) : nullptr)
        constrain(plan, {i, true, placement_of(*s)}, true);
    for (const Value* v : operands_of(node)) fetch(*v, plan.operand_regions(*v));
    plan_.actions.push_back(Work{made, next_tag_++});
    for (std::size_t i = 0; i < node.outputs.size(); ++i)
      if (const Value* v = node.outputs[i]) {
        plan_.placements[v] = plan.output_placement(i);
        if (const ShardingSpec* s = spec_of(a, v)) move(*v, placement_of(*s));
      }
  }

  // Moves what devices want and do not hold.
  void fetch(const Value& v, std::map<int, Region> wanted) {
    if (v.constant) return;
    const Placement from = placement(v);
    const Shape shape = shape_of(v);
    std::set<std::string>& got = fetched_[&v];
    std::erase_if(wanted, [&](const auto& w) {
      const auto& [device, region] = w;
      if (got.count(fmt::format("{} {}", device, to_string(region)))) return true;
      return from.holds(device, region, shape);
    });
    if (wanted.empty()) return;
    for (const auto& [device, region] : wanted)
      got.insert(fmt::format("{} {}", device, to_string(region)));
    if (!has_known_axes(v) || v.type.elem == ElemType::string)
      return diagnostics_.error("device-conflict", "value " + quoted(v.name),
                                v.type.to_string() + " cannot be sent to another device");
    Transfer transfer{&v, from, std::move(wanted), next_tag_++};
    if (!v.type.is_static()) messages_of(transfer, plan_.devices);  // throws if it cannot be done
    plan_.actions.push_back(std::move(transfer));
  }

  // From here on the value is where the placement says.
  void move(const Value& v, const Placement& to) {
    if (plan_.placements[&v] == to) return;
    std::map<int, Region> wanted;
    for (const auto& [device, parts] : to.parts)
      wanted[device] = region_of(to, shape_of(v), device);
    fetch(v, std::move(wanted));
    plan_.placements[&v] = to;
  }

  // Every device that holds an output whole gives it; one that is cut is gathered by the first.
  void give_output(const Value& v) {
    const auto it = plan_.placements.find(&v);
    if (it == plan_.placements.end() || !it->second.is_cut()) return;
    move(v, whole_on({it->second.devices().front()}, rank_of(v)));
  }

  const Graph& graph_;
  const DeviceConfiguration& configuration_;
  Diagnostics& diagnostics_;
  Plan plan_;
  std::int64_t next_tag_ = 1;
  std::map<const Value*, std::set<std::string>> fetched_;
  std::map<const Value*, int> stages_;  // of what nodes with a stage make
};

}  // namespace

Plan plan_devices(const Graph& graph, const DeviceConfiguration& configuration,
                  Diagnostics& diagnostics) {
  return Planner(graph, configuration, diagnostics).run();
}

}  // namespace onnxc::devices

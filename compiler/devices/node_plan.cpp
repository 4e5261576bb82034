// Cuts of loops: from the parts of operands to the work of each device.
#include "compiler/devices/node_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace onnxc::devices {
namespace {

using ops::Axes;

ops::Axes axes_of(const Node& node) {
  ops::Axes axes(node);
  const auto known_axes = [](const Value* v) { return !v || has_known_axes(*v); };
  const bool known = std::all_of(node.inputs.begin(), node.inputs.end(), known_axes) &&
                     std::all_of(node.outputs.begin(), node.outputs.end(), known_axes);
  if (node.op->axes && known) node.op->axes(axes);
  return axes;
}

std::size_t at(int loop) { return static_cast<std::size_t>(loop); }

// The cuts of an axis, divided among the loops that it runs over.
struct Division {
  std::vector<AxisCuts> cuts;                    // of each loop
  std::vector<std::vector<std::size_t>> source;  // for each cut, the axis' cut that it comes from
};
constexpr std::size_t kNoSource = static_cast<std::size_t>(-1);

// Takes cuts off the front of `left` that make up a loop of this extent.
bool take(const Dim& extent, std::vector<std::pair<Cut, std::size_t>>& left, AxisCuts& cuts,
          std::vector<std::size_t>& source) {
  Dim need = extent;
  while (!need.is(1)) {
    if (left.empty()) return false;
    auto& [cut, from] = left.front();
    if (cut.extent == need) {
      cuts.push_back(cut);
      source.push_back(from);
      left.erase(left.begin());
      return true;
    }
    if (!need.is_const() || !cut.extent.is_const()) return false;
    const std::int64_t wanted = need.value(), there = cut.extent.value();
    if (there < wanted && wanted % there == 0) {
      cuts.push_back(cut);
      source.push_back(from);
      need = wanted / there;
      left.erase(left.begin());
      continue;
    }
    if (there % wanted != 0 || wanted % cut.parts != 0) return false;
    cuts.push_back({wanted, cut.parts});
    source.push_back(from);
    cut = {there / wanted, 1};
    from = kNoSource;
    return true;
  }
  return true;
}

std::optional<Division> divide(const AxisCuts& cuts, const std::vector<int>& loops,
                               const Axes& axes) {
  Division d;
  d.cuts.resize(loops.size());
  d.source.resize(loops.size());
  std::vector<std::pair<Cut, std::size_t>> left;
  for (std::size_t i = 0; i < cuts.size(); ++i) left.emplace_back(cuts[i], i);
  for (std::size_t i = 0; i < loops.size(); ++i)
    if (!take(axes.loops()[at(loops[i])].extent, left, d.cuts[i], d.source[i])) return std::nullopt;
  return d;
}

// A plain cut of an axis that a window slides over is one of the loop.
std::optional<Division> divide_window(const AxisCuts& cuts, int loop, const Axes& axes) {
  const Dim& extent = axes.loops()[at(loop)].extent;
  if (cuts.size() != 1 || !extent.is_const() || extent.value() < cuts[0].parts) return std::nullopt;
  Division d;
  d.cuts = {{{extent, cuts[0].parts}}};
  d.source = {{0}};
  return d;
}

// Whether every combination of parts is computed somewhere.
bool covers(const NodePlan& plan) {
  std::size_t all = 1;
  for (const AxisCuts& loop : plan.cuts)
    for (const Cut& c : loop) all *= static_cast<std::size_t>(c.parts);
  std::set<std::vector<std::vector<int>>> found;
  for (const auto& [device, parts] : plan.parts) found.insert(parts);
  return found.size() == all;
}

// Groups of partial results need as many copies of each part.
bool groups_fit(const NodePlan& plan) {
  std::map<std::vector<std::vector<int>>, std::size_t> copies;
  for (const auto& [device, parts] : plan.parts) ++copies[parts];
  return std::all_of(copies.begin(), copies.end(),
                     [&](const auto& c) { return c.second == copies.begin()->second; });
}

Refusal needs(std::string text) { return {Refusal::Kind::operator_needs, std::move(text)}; }
Refusal contradicts(std::string text) { return {Refusal::Kind::contradiction, std::move(text)}; }

std::optional<Refusal> cut_loop(NodePlan& plan, int loop, const AxisCuts& cuts,
                                const std::vector<std::size_t>& source, const Placement& placement,
                                std::size_t first) {
  const bool whole =
      std::all_of(cuts.begin(), cuts.end(), [](const Cut& c) { return c.parts == 1; });
  AxisCuts& own = plan.cuts[at(loop)];
  if (whole) return std::nullopt;
  if (plan.axes.loops()[at(loop)].kind == Axes::Kind::whole) return needs("it must be whole");
  if (!own.empty() && own != cuts) return contradicts("another operand is cut into other parts");
  const bool fresh = own.empty();
  own = cuts;
  for (auto& [device, parts] : plan.parts) {
    const auto held = placement.parts.find(device);
    if (held == placement.parts.end()) {
      if (fresh || parts[at(loop)].empty())
        return contradicts(fmt::format("device {} has no part of it", device));
      continue;
    }
    std::vector<int> mine;
    for (const std::size_t s : source) mine.push_back(s == kNoSource ? 0 : held->second[first + s]);
    if (!parts[at(loop)].empty() && parts[at(loop)] != mine)
      return contradicts(fmt::format("device {} has another part of another operand", device));
    parts[at(loop)] = mine;
  }
  return std::nullopt;
}

std::optional<Refusal> cut_axes(NodePlan& plan, const Constraint& constraint) {
  const auto& operand =
      (constraint.of_output ? plan.axes.outputs() : plan.axes.inputs())[constraint.index];
  std::size_t first = 0;
  for (std::size_t axis = 0; axis < constraint.placement.axes.size(); ++axis) {
    const AxisCuts& cuts = constraint.placement.axes[axis];
    if (cuts.empty()) continue;
    if (axis >= operand.size() || operand[axis].empty())
      return needs(fmt::format("axis {} must be whole", axis));
    const bool window = !constraint.of_output && plan.axes.window_of(constraint.index, axis);
    const auto division = window ? divide_window(cuts, operand[axis][0], plan.axes)
                                 : divide(cuts, operand[axis], plan.axes);
    if (!division) return needs(fmt::format("axis {} cannot be cut there", axis));
    for (std::size_t i = 0; i < operand[axis].size(); ++i) {
      const auto why = cut_loop(plan, operand[axis][i], division->cuts[i], division->source[i],
                                constraint.placement, first);
      if (why) return Refusal{why->kind, fmt::format("axis {}: {}", axis, why->text)};
    }
    first += cuts.size();
  }
  return std::nullopt;
}

// An all-reduce joins partial results in one way.
bool reduces_in_one_way(const NodePlan& plan) {
  for (std::size_t l = 0; l < plan.cuts.size(); ++l) {
    const Axes::Kind kind = plan.axes.loops()[l].kind;
    if (plan.is_cut(static_cast<int>(l)) && ops::reduces(kind) && kind != plan.reduction())
      return false;
  }
  return true;
}

std::optional<Refusal> refusal_of(NodePlan& plan, const Constraint& constraint) {
  if (auto why = cut_axes(plan, constraint)) return why;
  if (!covers(plan))
    return contradicts("the cuts of the operands leave parts of the result to no device");
  if (!groups_fit(plan)) return contradicts("parts are held by different numbers of devices");
  if (!reduces_in_one_way(plan)) return needs("axes that are reduced in two ways would be cut");
  return std::nullopt;
}

}  // namespace

bool is_known(const Node& node) {
  return !node.op->effect && std::all_of(node.outputs.begin(), node.outputs.end(),
                                         [](const Value* v) { return !v || v->constant; });
}

NodePlan::NodePlan(const Node& n, const std::vector<int>& devices)
    : node(&n), axes(axes_of(n)), cuts(axes.loops().size()) {
  for (const int d : devices) parts[d].resize(cuts.size());
}

bool NodePlan::is_cut() const {
  return std::any_of(cuts.begin(), cuts.end(), [](const AxisCuts& c) { return !c.empty(); });
}

AxisRegion NodePlan::loop_region(int device, int loop) const {
  return axis_region(axes.loops()[at(loop)].extent, cuts[at(loop)],
                     parts.at(device)[at(loop)].data());
}

Region NodePlan::input_region(std::size_t i, int device) const {
  const Shape& shape = *node->inputs[i]->type.shape;
  Region region;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const std::vector<int>& over = axes.inputs()[i][axis];
    if (std::none_of(over.begin(), over.end(), [&](int l) { return is_cut(l); })) {
      region.push_back({{0, shape[axis]}});
    } else if (const Axes::Window* w = axes.window_of(i, axis)) {
      const AxisRegion out = loop_region(device, over[0]);
      const std::int64_t low = out[0].low.value() * w->stride - w->before;
      const std::int64_t high = (out[0].high.value() - 1) * w->stride - w->before + w->reach;
      const std::int64_t extent = shape[axis].value();
      const std::int64_t begin = std::clamp<std::int64_t>(low, 0, extent);
      region.push_back({{begin, std::clamp<std::int64_t>(high, begin, extent)}});
    } else {
      AxisCuts all;
      std::vector<int> numbers;
      for (const int l : over) {
        const AxisCuts whole_loop = {{axes.loops()[at(l)].extent, 1}};
        const AxisCuts& own = is_cut(l) ? cuts[at(l)] : whole_loop;
        all.insert(all.end(), own.begin(), own.end());
        const std::vector<int>& mine = parts.at(device)[at(l)];
        numbers.insert(numbers.end(), mine.begin(), mine.end());
        if (!is_cut(l)) numbers.push_back(0);
      }
      region.push_back(axis_region(shape[axis], all, numbers.data()));
    }
  }
  return region;
}

std::map<int, Region> NodePlan::operand_regions(const Value& v) const {
  const Region whole = whole_region(shape_of(v));
  std::map<int, Region> regions;
  for (const auto& [device, own] : parts) {
    std::optional<Region> read;
    for (std::size_t i = 0; i < node->inputs.size() && !whole.empty(); ++i) {
      if (node->inputs[i] != &v) continue;
      Region part = input_region(i, device);
      read = read && to_string(*read) != to_string(part) ? whole : std::move(part);
    }
    regions[device] = read.value_or(whole);
  }
  return regions;
}

Placement NodePlan::output_placement(std::size_t i) const {
  Placement p;
  const Axes::Operand& operand = axes.outputs()[i];
  for (const auto& [device, part] : parts) p.parts[device] = {};
  for (const std::vector<int>& over : operand) {
    AxisCuts all;
    std::map<int, std::vector<int>> numbers;
    for (const int l : over) {
      const AxisCuts whole_loop = {{axes.loops()[at(l)].extent, 1}};
      const AxisCuts& own = is_cut(l) ? cuts[at(l)] : whole_loop;
      all.insert(all.end(), own.begin(), own.end());
      for (const auto& [device, mine] : parts) {
        std::vector<int>& list = numbers[device];
        if (is_cut(l))
          list.insert(list.end(), mine[at(l)].begin(), mine[at(l)].end());
        else
          list.push_back(0);
      }
    }
    std::vector<std::size_t> kept;
    p.axes.push_back(normal_form(all, kept));
    for (const auto& [device, list] : numbers)
      for (const std::size_t k : kept) p.parts[device].push_back(list[k]);
  }
  return p;
}

std::vector<std::vector<int>> NodePlan::reduce_groups() const {
  std::vector<int> reducing;
  for (std::size_t l = 0; l < cuts.size(); ++l)
    if (!cuts[l].empty() && ops::reduces(axes.loops()[l].kind))
      reducing.push_back(static_cast<int>(l));
  if (reducing.empty()) return {};
  using Parts = std::vector<std::vector<int>>;
  std::map<Parts, std::map<Parts, std::vector<int>>> results;
  for (const auto& [device, own] : parts) {
    Parts result = own, partial;
    for (const int l : reducing) partial.push_back(std::exchange(result[at(l)], {}));
    results[result][partial].push_back(device);
  }
  std::vector<std::vector<int>> groups;
  for (const auto& [result, partials] : results)
    for (std::size_t copy = 0; copy < partials.begin()->second.size(); ++copy) {
      std::vector<int> group;
      for (const auto& [partial, devices] : partials) group.push_back(devices[copy]);
      std::sort(group.begin(), group.end());
      groups.push_back(group);
    }
  return groups;
}

bool NodePlan::reduces() const { return ops::reduces(reduction()); }

ops::Axes::Kind NodePlan::reduction() const {
  for (std::size_t l = 0; l < cuts.size(); ++l)
    if (!cuts[l].empty() && ops::reduces(axes.loops()[l].kind)) return axes.loops()[l].kind;
  return Axes::Kind::parallel;
}

std::optional<Refusal> satisfy(NodePlan& plan, const Constraint& constraint) {
  auto cuts = plan.cuts;
  auto parts = plan.parts;
  auto why = refusal_of(plan, constraint);
  if (!why) return why;
  plan.cuts = std::move(cuts);
  plan.parts = std::move(parts);
  return why;
}

}  // namespace onnxc::devices

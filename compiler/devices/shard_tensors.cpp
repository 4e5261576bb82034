// Tensor parallelism: cuts the products with weights, node by node, along with what follows.
#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "compiler/devices/sharding.hpp"
#include "compiler/ir/op.hpp"

namespace onnxc::devices {
namespace {

std::size_t index(int loop) { return static_cast<std::size_t>(loop); }

// ---- propagation --------------------------------------------------------------------------------

// Which values are cut, and what moved so far.
class Propagation {
 public:
  explicit Propagation(int devices) : devices_(devices) {}

  const Placement* placement(const Value* v) const {
    const auto it = cut_.find(v);
    return it == cut_.end() ? nullptr : &it->second;
  }
  double traffic() const { return traffic_; }
  int fetches() const { return fetches_; }

  // Computes a node where its inputs are, first of all as the constraint says.
  NodePlan visit(const Node& node, const Constraint* constraint) {
    NodePlan plan(node, all_devices(devices_));
    if (constraint) satisfy(plan, *constraint);
    for (std::size_t i = 0; i < node.inputs.size(); ++i)
      if (const Placement* p = placement(node.inputs[i])) satisfy(plan, {i, false, *p});
    for (const Value* v : operands_of(node))
      if (placement(v)) fetch(*v, plan.operand_regions(*v));
    reduce(plan);
    place_outputs(plan);
    return plan;
  }

  // From here on all devices hold the value.
  void gather(const Value& v) {
    if (placement(&v)) fetch_whole(v);
    cut_.erase(&v);
  }

  void fetch_whole(const Value& v) {
    if (!whole_.insert(&v).second) return;
    ++fetches_;
    traffic_ += number(bytes_of(v)) * (devices_ - 1);
  }

 private:
  void fetch(const Value& v, std::map<int, Region> wanted) {
    const Shape& shape = *v.type.shape;
    Transfer transfer{&v, cut_.at(&v), std::move(wanted), 0};
    std::erase_if(transfer.wanted,
                  [&](const auto& w) { return transfer.from.holds(w.first, w.second, shape); });
    if (transfer.wanted.empty() || whole_.count(&v)) return;
    const Dim elements = elements_of(messages_of(transfer, devices_));
    ++fetches_;
    if (number(elements) >= number(product(shape)) * (devices_ - 1) * 0.99) whole_.insert(&v);
    traffic_ += number(elements) * static_cast<double>(elem_bytes(v.type.elem));
  }

  void reduce(const NodePlan& plan) {
    for (const std::vector<int>& group : plan.reduce_groups())
      traffic_ +=
          2 * static_cast<double>(group.size() - 1) * number(bytes_of(*plan.node->outputs[0]));
  }

  void place_outputs(const NodePlan& plan) {
    for (std::size_t i = 0; i < plan.node->outputs.size(); ++i) {
      const Value* v = plan.node->outputs[i];
      if (!v || !has_known_axes(*v)) continue;
      Placement p = plan.output_placement(i);
      if (p.is_cut()) cut_[v] = std::move(p);
    }
  }

  int devices_;
  double traffic_ = 0;
  int fetches_ = 0;
  std::map<const Value*, Placement> cut_;
  std::set<const Value*> whole_;  // those that all devices fetched
};

// ---- specifications -----------------------------------------------------------------------------

ShardingSpec cut_axis(const Value& v, std::size_t axis, std::vector<AxisFactor> factors,
                      int devices) {
  ShardingSpec spec{&v, {}, {{static_cast<int>(axis), std::move(factors)}}};
  for (int d = 0; d < devices; ++d) spec.groups.push_back({d});
  return spec;
}

// What a plan makes of an input, without axes that are whole.
ShardingSpec spec_of_input(const NodePlan& plan, std::size_t i) {
  ShardingSpec spec{plan.node->inputs[i], {}, {}};
  std::map<int, std::size_t> shard;  // of each device
  std::size_t shards = 1;
  for (const auto& [device, parts] : plan.parts) shard[device] = 0;
  const auto& operand = plan.axes.inputs()[i];
  for (std::size_t axis = 0; axis < operand.size(); ++axis) {
    const std::vector<int>& over = operand[axis];
    if (std::none_of(over.begin(), over.end(), [&](int l) { return plan.is_cut(l); })) continue;
    ShardedAxis sharded{static_cast<int>(axis), {}};
    for (const int l : over) {
      const Dim& extent = plan.axes.loops()[index(l)].extent;
      if (!plan.is_cut(l) && !extent.is(1)) sharded.factors.push_back({extent, 1});
      for (std::size_t c = 0; c < plan.cuts[index(l)].size(); ++c) {
        const Cut& cut = plan.cuts[index(l)][c];
        sharded.factors.push_back({cut.extent, cut.parts});
        shards *= static_cast<std::size_t>(cut.parts);
        for (const auto& [device, parts] : plan.parts)
          shard[device] = shard[device] * static_cast<std::size_t>(cut.parts) +
                          static_cast<std::size_t>(parts[index(l)][c]);
      }
    }
    if (sharded.factors.size() == 1) sharded.factors[0].extent.reset();
    spec.axes.push_back(std::move(sharded));
  }
  spec.groups.resize(shards);
  for (const auto& [device, number] : shard) spec.groups[number].push_back(device);
  return spec;
}

// ---- products -----------------------------------------------------------------------------------

// A node that multiplies weights, whose loop over the columns of the weights may be cut.
struct Product {
  std::size_t activation = 0, weights = 0;
  std::size_t axis = 0;  // of the weights
  std::int64_t columns = 0;
};

bool has_loop(const ops::Axes::Operand& operand, int loop) {
  return std::any_of(operand.begin(), operand.end(), [&](const std::vector<int>& over) {
    return std::find(over.begin(), over.end(), loop) != over.end();
  });
}

class Tensors {
 public:
  Tensors(Graph& graph, const DeviceConfiguration& configuration, TensorCuts cuts,
          const CanName& can_name)
      : graph_(graph),
        configuration_(configuration),
        devices_(configuration.count),
        cuts_(cuts),
        can_name_(can_name),
        state_(devices_) {
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) position_[graph.nodes[i].get()] = i;
  }

  void run() {
    for (const auto& node : graph_.nodes) {
      if (is_known(*node)) continue;
      if (!constraints_.count(node.get())) decide(*node);
      const auto own = constraints_.find(node.get());
      const NodePlan plan = state_.visit(*node, own == constraints_.end() ? nullptr : &own->second);
      write(*node, plan);
      if (is_table(*node)) state_.gather(*node->outputs[0]);
    }
  }

 private:
  // Rows of a constant are looked up, as those of embeddings.
  bool is_table(const Node& node) const {
    return cuts_.tables && node.op->name == "Gather" && node.inputs[0]->constant &&
           can_name_(node, *node.outputs[0]);
  }

  std::optional<std::size_t> weights_of(const Node& node) const {
    if (!node.op->macs && !is_table(node)) return std::nullopt;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const Value* v = node.inputs[i];
      if (v && v->constant && v->type.rank() >= 2 && can_name_(node, *v)) return i;
    }
    return std::nullopt;
  }

  std::optional<std::size_t> activation_of(const Node& node) const {
    for (std::size_t i = 0; i < node.inputs.size(); ++i)
      if (node.inputs[i] && !node.inputs[i]->constant) return i;
    return std::nullopt;
  }

  std::optional<Product> product_of(const Node& node) const {
    const auto weights = weights_of(node);
    const auto activation = activation_of(node);
    if (!weights || !activation) return std::nullopt;
    const NodePlan plan(node);
    const auto& operand = plan.axes.inputs()[*weights];
    for (std::size_t axis = 0; axis < operand.size(); ++axis)
      for (const int l : operand[axis]) {
        const ops::Axes::Loop& loop = plan.axes.loops()[index(l)];
        const bool all = loop.extent == (*node.inputs[*weights]->type.shape)[axis];
        if (all && loop.kind == ops::Axes::Kind::parallel && loop.extent.is_const() &&
            loop.extent.value() >= devices_ && has_loop(plan.axes.outputs()[0], l) &&
            !has_loop(plan.axes.inputs()[*activation], l))
          return Product{*activation, *weights, axis, loop.extent.value()};
      }
    return std::nullopt;
  }

  // ---- decisions --------------------------------------------------------------------------------

  void decide(const Node& node) {
    const auto activation = activation_of(node);
    if (!activation || state_.placement(node.inputs[*activation])) return;
    if (cuts_.rows && cut_rows(node, *activation)) return;
    if (product_of(node)) cut_columns(node, *node.inputs[*activation]);
  }

  bool cut_rows(const Node& node, std::size_t activation) {
    const NodePlan plan(node);
    const Value* out = node.outputs[0];
    if (!node.op->macs || !out || !has_known_axes(*out) || !can_name_(node, *out)) return false;
    if (out->type.rank() < 3 || !plan.axes.window_of(activation, 2)) return false;
    const auto rows = (*out->type.shape)[2].constant();
    if (!rows || *rows < devices_) return false;
    const ShardingSpec spec = cut_axis(*out, 2, {{std::nullopt, devices_}}, devices_);
    constraints_[&node] = {0, true, placement_of(spec)};
    return true;
  }

  using Group = std::vector<std::pair<const Node*, Product>>;

  // Products of the same value are cut alike: those of queries, keys and values.
  void cut_columns(const Node& first, const Value& activation) {
    Group group;
    for (const Use& use : activation.users())
      if (use.node && use.node->graph == first.graph && !constraints_.count(use.node))
        if (const auto p = product_of(*use.node); p && p->activation == use.index)
          group.emplace_back(use.node, *p);
    const std::size_t begin = position_.at(&first);
    Blocks chosen;
    Trial best = attempt(group, chosen, begin);
    if (best.fetches != 0)
      for (const Blocks& blocks : blocks_of(group)) {
        const Trial trial = attempt(group, blocks, begin);
        if (trial.traffic >= best.traffic) continue;
        best = trial;
        chosen = blocks;
      }
    if (best.traffic < std::numeric_limits<double>::infinity())
      constrain_group(group, chosen, constraints_);
  }

  using Constraints = std::map<const Node*, Constraint>;

  // Columns are `sections` times `count` blocks, and the blocks of each section are divided among
  // the devices. No count: single columns.
  struct Blocks {
    std::int64_t sections = 1, count = 0;
    auto operator<=>(const Blocks&) const = default;
  };

  void constrain_group(const Group& group, const Blocks& blocks, Constraints& constraints) const {
    for (const auto& [node, p] : group) {
      std::vector<AxisFactor> factors = {{std::nullopt, devices_}};
      if (blocks.count != 0)
        factors = {{Dim(blocks.sections), 1},
                   {Dim(blocks.count), devices_},
                   {Dim(p.columns / blocks.sections / blocks.count), 1}};
      const ShardingSpec spec = cut_axis(*node->inputs[p.weights], p.axis, factors, devices_);
      constraints[node] = {p.weights, false, placement_of(spec)};
    }
  }

  struct Trial {
    double traffic = std::numeric_limits<double>::infinity();
    int fetches = 1;  // how many values were not where they were read
  };

  // What moves until the results of the group are whole again.
  Trial attempt(const Group& group, const Blocks& blocks, std::size_t begin) const {
    constexpr std::size_t kHorizon = 500;
    Constraints constraints;
    constrain_group(group, blocks, constraints);
    Propagation trial = state_;
    std::set<const Value*> open;
    const std::size_t end = std::min(graph_.nodes.size(), begin + kHorizon);
    try {
      for (std::size_t i = begin; i < end; ++i) {
        const Node& node = *graph_.nodes[i];
        const auto own = constraints.find(&node);
        const bool reads = std::any_of(node.inputs.begin(), node.inputs.end(),
                                       [&](const Value* v) { return open.count(v) != 0; });
        if (own == constraints.end() && !reads) continue;
        trial.visit(node, own == constraints.end() ? nullptr : &own->second);
        for (const Value* v : node.outputs)
          if (v && trial.placement(v)) open.insert(v), give_output(*v, trial);
      }
    } catch (const PlacementError&) {
      return {};
    } catch (const SymbolicExtent&) {
      return {};
    }
    return {trial.traffic() - state_.traffic(), trial.fetches() - state_.fetches()};
  }

  static void give_output(const Value& v, Propagation& trial) {
    if (std::any_of(v.users().begin(), v.users().end(), [](const Use& u) { return u.graph; }))
      trial.fetch_whole(v);
  }

  // ---- heads ------------------------------------------------------------------------------------

  // Numbers that operators between products show: heads are an axis that a Reshape makes or an
  // attribute; queries, keys and values in one product are parts of a Split or another axis.
  struct Numbers {
    std::set<std::int64_t> sections = {1}, counts;
  };

  static void note_numbers(const Node& node, Numbers& numbers) {
    constexpr std::int64_t kMaxSections = 8;
    for (const auto& [name, attribute] : node.attributes)
      if (const auto* heads = std::get_if<std::int64_t>(&attribute);
          heads && name.find("num_heads") != name.npos)
        numbers.counts.insert(*heads);
    if (node.op->name == "Split")
      numbers.sections.insert(static_cast<std::int64_t>(node.outputs.size()));
    if (node.op->name != "Reshape" || !has_known_axes(*node.outputs[0])) return;
    for (const Dim& d : *node.outputs[0]->type.shape) {
      const std::int64_t extent = d.constant().value_or(0);
      if (extent > 1) numbers.counts.insert(extent);
      if (extent > 1 && extent <= kMaxSections) numbers.sections.insert(extent);
    }
  }

  Numbers numbers_after(const Group& group) const {
    constexpr std::size_t kMaxValues = 60;
    Numbers numbers;
    std::vector<const Value*> found;
    std::set<const Node*> seen;
    const auto follow = [&](const Node& node) {
      for (const Value* v : node.outputs)
        if (v && found.size() < kMaxValues) found.push_back(v);
    };
    for (const auto& [node, p] : group) follow(*node);
    for (std::size_t i = 0; i < found.size(); ++i)
      for (const Use& use : found[i]->users()) {
        if (!use.node || use.node->graph != &graph_ || !seen.insert(use.node).second) continue;
        note_numbers(*use.node, numbers);
        if (!weights_of(*use.node)) follow(*use.node);
      }
    return numbers;
  }

  std::set<Blocks> blocks_of(const Group& group) const {
    const Numbers numbers = numbers_after(group);
    std::set<Blocks> list;
    for (const std::int64_t sections : numbers.sections)
      for (std::int64_t count : numbers.counts) {
        bool whole = true;
        for (const auto& [node, p] : group) {
          whole = whole && p.columns % sections == 0;
          count = std::gcd(count, p.columns / sections);
        }
        if (whole && count >= devices_) list.insert({sections, count});
      }
    return list;
  }

  // ---- annotations ------------------------------------------------------------------------------

  void write(Node& node, const NodePlan& plan) {
    NodeDevices devices{configuration_.name, {}, std::nullopt};
    const auto own = constraints_.find(&node);
    if (own != constraints_.end() && own->second.of_output) {
      const Placement& p = own->second.placement;
      if (plan.output_placement(0) == p)
        devices.specs = {cut_axis(*node.outputs[0], 2, {{std::nullopt, devices_}}, devices_)};
    } else if (const auto weights = weights_of(node); weights && plan.is_cut()) {
      ShardingSpec spec = spec_of_input(plan, *weights);
      if (!spec.axes.empty()) devices.specs = {std::move(spec)};
      if (!devices.specs.empty() && is_table(node))
        devices.specs.push_back({node.outputs[0], {all_devices(devices_)}, {}});
    }
    if (!devices.specs.empty()) annotate(node, std::move(devices));
  }

  Graph& graph_;
  const DeviceConfiguration& configuration_;
  int devices_;
  TensorCuts cuts_;
  const CanName& can_name_;
  Propagation state_;
  std::map<const Node*, std::size_t> position_;
  Constraints constraints_;
};

}  // namespace

void remove_annotations(Graph& graph, const std::string& configuration) {
  for (auto& node : graph.nodes) {
    if (!node->devices) continue;
    auto list = *node->devices;
    std::erase_if(list, [&](const NodeDevices& d) { return d.configuration == configuration; });
    node->devices = std::make_shared<const std::vector<NodeDevices>>(std::move(list));
  }
}

void annotate(Node& node, NodeDevices devices) {
  auto list = node.devices ? *node.devices : std::vector<NodeDevices>{};
  list.push_back(std::move(devices));
  node.devices = std::make_shared<const std::vector<NodeDevices>>(std::move(list));
}

void shard_tensors(Graph& graph, const DeviceConfiguration& configuration, TensorCuts cuts,
                   const CanName& can_name) {
  remove_annotations(graph, configuration.name);
  Tensors(graph, configuration, cuts, can_name).run();
}

}  // namespace onnxc::devices

// Checks annotations: axes and sizes of specs, the order of stages.
#include "compiler/devices/resolve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "compiler/support/checked.hpp"

namespace onnxc::devices {
namespace {

using List = std::vector<NodeDevices>;

class Resolver {
 public:
  explicit Resolver(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  // Several nodes share a list when they come from one ONNX node.
  void run(Graph& graph) {
    for (auto& node : graph.nodes) {
      if (node->devices) resolve(*node);
      each_subgraph(*node, [&](Graph& body) { run(body); });
    }
  }

 private:
  struct Resolved {
    std::shared_ptr<List> list;
    struct Waiting {
      const NodeDevices* devices;
      ShardingSpec* spec;
    };
    std::unordered_multimap<const Value*, Waiting> waiting;
  };

  void resolve(Node& node) {
    auto [entry, fresh] = lists_.try_emplace(node.devices);
    Resolved& r = entry->second;
    if (fresh) {
      r.list = std::make_shared<List>(*node.devices);
      for (NodeDevices& devices : *r.list)
        for (ShardingSpec& spec : devices.specs)
          r.waiting.emplace(spec.value, Resolved::Waiting{&devices, &spec});
    }
    for (const Value* v : node.inputs) resolve_those_of(v, node, r);
    for (const Value* v : node.outputs) resolve_those_of(v, node, r);
    node.devices = r.list;
  }

  void resolve_those_of(const Value* v, const Node& node, Resolved& r) {
    const auto [first, last] = r.waiting.equal_range(v);
    for (auto it = first; it != last; ++it)
      resolve(
          *it->second.spec,
          describe(node) + fmt::format(", device_configurations {}, sharding_spec {}",
                                       quoted(it->second.devices->configuration), quoted(v->name)));
    r.waiting.erase(first, last);
  }

  void error(const Location& where, const std::string& message) {
    diagnostics_.error("bad-sharding", where, message);
  }
  void warning(const Location& where, const std::string& message) {
    diagnostics_.warning("sharded-dim", where, message);
  }

  void resolve(ShardingSpec& spec, const Location& place) {
    const Type& type = spec.value->type;
    if (type.kind != Type::Kind::unknown && !type.is_tensor() && !spec.axes.empty())
      return error(place, fmt::format("{} is no tensor and has no axes", type.to_string()));
    if (!type.has_rank()) return;
    const int rank = static_cast<int>(type.rank());
    std::set<int> axes;
    for (ShardedAxis& axis : spec.axes) {
      const Location where = place + fmt::format(", axis {}", axis.axis);
      if (axis.axis < -rank || axis.axis >= rank) {
        error(where, rank == 0 ? "the tensor has no axes"
                               : fmt::format("is outside [{}, {}]", -rank, rank - 1));
        continue;
      }
      if (axis.axis < 0) axis.axis += rank;
      if (!axes.insert(axis.axis).second) error(where, "is sharded twice");
      check_sizes(axis, (*type.shape)[static_cast<std::size_t>(axis.axis)], where);
    }
  }

  // The parts make up the axis, and each has a block for each of its shards.
  void check_sizes(const ShardedAxis& axis, const Dim& extent, const Location& where) {
    Dim product = 1;
    const AxisFactor* open = nullptr;
    try {
      for (const AxisFactor& factor : axis.factors) {
        if (!factor.extent)
          open = &factor;
        else
          product = product * *factor.extent;
      }
    } catch (const OverflowError&) {
      return error(where, "the product of its parts does not fit 64 bits");
    }
    for (const AxisFactor& factor : axis.factors)
      if (factor.extent) check_blocks(*factor.extent, factor.shards, where);
    if (!open) return check_product(product, extent, where);
    if (product.is_const() && extent.is_const()) check_open(*open, product, extent, where);
  }

  // The size of one part follows from the others.
  void check_open(const AxisFactor& open, const Dim& product, const Dim& extent,
                  const Location& where) {
    const std::int64_t others = product.value(), all = extent.value();
    if (others == 0 ? all != 0 : all % others != 0)
      return error(
          where, fmt::format("of {} elements is no multiple of {}, its other parts", all, others));
    check_blocks(others == 0 ? 0 : all / others, open.shards, where);
  }

  void check_product(const Dim& product, const Dim& extent, const Location& where) {
    if (product == extent) return;
    if (product.is_const() && extent.is_const())
      return error(where, fmt::format("has {} elements, its parts make {}", extent.value(),
                                      product.value()));
    warning(where, fmt::format("has {} elements, its parts make {}: they may differ",
                               extent.to_string(), product.to_string()));
  }

  void check_blocks(const Dim& blocks, int shards, const Location& where) {
    if (shards > 1 && blocks.is_const() && blocks.value() < shards)
      warning(where, fmt::format("there are more shards, {}, than blocks, {}: some are empty",
                                 shards, blocks.value()));
  }

  Diagnostics& diagnostics_;
  std::map<std::shared_ptr<const List>, Resolved> lists_;
};

// Stages go up along the edges of the graph, also through nodes without a stage.
class StageOrder {
 public:
  StageOrder(std::string configuration, const std::string& compiled, Diagnostics& diagnostics)
      : configuration_(std::move(configuration)),
        diagnostics_(diagnostics),
        report_(configuration_ == compiled ? &Diagnostics::error : &Diagnostics::warning) {}

  void run(const Graph& graph) {
    for (const auto& node : graph.nodes) {
      visit(*node);
      each_subgraph(*node, [&](Graph& body) { run(body); });
    }
  }

 private:
  struct Need {
    int stage = -1;
    const Value* value = nullptr;  // which the stage computes
  };

  std::optional<int> stage_of(const Node& node) const {
    if (node.devices)
      for (const NodeDevices& devices : *node.devices)
        if (devices.configuration == configuration_) return devices.stage;
    return std::nullopt;
  }

  void visit(const Node& node) {
    Need need;
    for (const Value* v : operands_of(node))
      if (const auto it = needs_.find(v); it != needs_.end() && it->second.stage > need.stage)
        need = it->second;
    const auto stage = stage_of(node);
    if (stage && need.stage > *stage)
      (diagnostics_.*report_)(
          "pipeline-stage",
          describe(node) + fmt::format(", device_configurations {}", quoted(configuration_)),
          fmt::format("pipeline_stage {} needs {} of the later stage {}", *stage,
                      quoted(need.value->name), need.stage));
    for (const Value* v : node.outputs) {
      if (!v) continue;
      if (stage)
        needs_[v] = {*stage, v};
      else if (need.value)
        needs_[v] = need;
    }
  }

  std::string configuration_;
  Diagnostics& diagnostics_;
  // A warning, unless the configuration is compiled.
  void (Diagnostics::*report_)(std::string, Location, std::string);
  std::unordered_map<const Value*, Need> needs_;
};

void collect_stages(const Graph& graph, std::set<std::string>& configurations) {
  for (const auto& node : graph.nodes) {
    if (node->devices)
      for (const NodeDevices& devices : *node->devices)
        if (devices.stage) configurations.insert(devices.configuration);
    each_subgraph(*node, [&](Graph& body) { collect_stages(body, configurations); });
  }
}

}  // namespace

void resolve(Graph& graph, const std::string& compiled, Diagnostics& diagnostics) {
  Resolver(diagnostics).run(graph);
  std::set<std::string> configurations;
  collect_stages(graph, configurations);
  for (const std::string& name : configurations) StageOrder(name, compiled, diagnostics).run(graph);
}

}  // namespace onnxc::devices

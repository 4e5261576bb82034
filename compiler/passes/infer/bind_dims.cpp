// bind_dims: applies the dimensions that the caller fixed to the graph inputs and to every declared
// shape. Needs: an imported graph. Gives: graph inputs with those dimensions. Never touches: what
// nodes compute.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/passes/infer/infer.hpp"
#include "compiler/passes/pass.hpp"
#include "compiler/support/closest.hpp"

namespace onnxc::passes {
namespace {

// One dimension, or its limits.
void limit(Graph& graph, Dim& d, const DimRange& range) {
  if (range.low == range.high) {
    d = range.low;
  } else if (const auto symbol = d.as_symbol()) {
    graph.ranges[*symbol] = {range.low, range.high, std::nullopt};
  }
}

// `--dim input:axis=N` names a dimension without a symbol of its own.
bool bind_axis(Graph& graph, const std::string& name, const DimRange& range) {
  const std::size_t colon = name.rfind(':');
  if (colon == std::string::npos) return false;
  for (Value* v : graph.inputs) {
    if (v->name != name.substr(0, colon) || !v->type.shape) continue;
    const std::string digits = name.substr(colon + 1);
    if (digits.empty() || digits.size() > 9 ||
        digits.find_first_not_of("0123456789") != std::string::npos)
      return false;
    const std::size_t axis = std::stoul(digits);
    if (axis >= v->type.rank()) return false;
    limit(graph, (*v->type.shape)[axis], range);
    return true;
  }
  return false;
}

void bind_shape(Graph& graph, std::size_t position, const std::vector<std::int64_t>& dims,
                std::map<std::string, std::int64_t>& symbols, Diagnostics& diagnostics) {
  Value& v = *graph.inputs[position];
  if (!v.type.is_tensor()) return;
  if (v.type.shape && v.type.rank() != dims.size()) {
    diagnostics.error("bad-dim", fmt::format("input {}", quoted(v.name)),
                      fmt::format("data of rank {} for {}", dims.size(), v.type.to_string()));
    return;
  }
  if (v.type.shape)
    for (std::size_t i = 0; i < dims.size(); ++i) {
      std::vector<std::string> names;
      (*v.type.shape)[i].collect_symbols(names);
      if (names.size() == 1 && (*v.type.shape)[i] == Dim::symbol(names[0]))
        symbols.emplace(names[0], dims[i]);
    }
  v.type.shape = to_shape(dims);
}

// The symbols that get a value, wherever they stand.
class Binder {
 public:
  explicit Binder(const std::map<std::string, std::int64_t>& symbols) : symbols_(symbols) {}

  void bind(Graph& graph) {
    for (auto& value : graph.values)
      if (value->type.shape)
        for (Dim& d : *value->type.shape) bind(d);
    for (auto& node : graph.nodes) {
      if (node->devices) bind(node->devices);
      each_subgraph(*node, [&](Graph& body) { bind(body); });
    }
  }

 private:
  using DeviceList = std::shared_ptr<const std::vector<NodeDevices>>;

  void bind(Dim& d) const {
    d = d.substitute([this](const std::string& name) -> std::optional<Dim> {
      const auto it = symbols_.find(name);
      return it == symbols_.end() ? std::nullopt : std::optional<Dim>(it->second);
    });
  }

  // Nodes that share annotations go on sharing them.
  void bind(DeviceList& devices) {
    const auto [entry, fresh] = lists_.try_emplace(devices);
    if (fresh) {
      auto list = std::make_shared<std::vector<NodeDevices>>(*devices);
      for (NodeDevices& of : *list)
        for (ShardingSpec& spec : of.specs)
          for (ShardedAxis& axis : spec.axes)
            for (AxisFactor& factor : axis.factors)
              if (factor.extent) bind(*factor.extent);
      entry->second = list;
    }
    devices = entry->second;
  }

  const std::map<std::string, std::int64_t>& symbols_;
  std::map<DeviceList, DeviceList> lists_;
};

// ", did you mean batch?", "; it has batch, length", or that there are none.
std::string other_names(const Graph& graph, const std::string& name) {
  constexpr std::size_t kShown = 10;
  std::vector<std::string> names = dynamic_dims(graph);
  if (names.empty()) return "; all sizes of its inputs are fixed";
  const std::string near = did_you_mean(name, names);
  if (!near.empty()) return near;
  const bool more = names.size() > kShown;
  names.resize(std::min(names.size(), kShown));
  return fmt::format("; it has {}{}", fmt::join(names, ", "), more ? ", ..." : "");
}

}  // namespace

void bind_dims(Graph& graph, PassContext& context) {
  std::map<std::string, std::int64_t> symbols;
  std::vector<std::string> names;
  for (const auto& value : graph.values)
    if (value->type.shape)
      for (const Dim& d : *value->type.shape) d.collect_symbols(names);
  for (const auto& [name, range] : context.options.dims) {
    const bool of_values = bound_values(graph, name, range);
    if (std::find(names.begin(), names.end(), name) != names.end()) {
      if (range.low == range.high)
        symbols[name] = range.low;
      else
        graph.ranges[name] = {range.low, range.high, std::nullopt};
    } else if (!bind_axis(graph, name, range) && !of_values) {
      context.diagnostics.error(
          "bad-dim", fmt::format("--dim {}", name),
          "the model has no dimension of this name" + other_names(graph, name));
    }
  }
  const auto& shapes = context.options.input_shapes;
  for (std::size_t i = 0; i < shapes.size() && i < graph.inputs.size(); ++i)
    if (shapes[i]) bind_shape(graph, i, *shapes[i], symbols, context.diagnostics);
  if (!symbols.empty()) Binder(symbols).bind(graph);
}

}  // namespace onnxc::passes

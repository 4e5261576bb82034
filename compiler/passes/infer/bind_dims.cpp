// bind_dims: applies the dimensions that the caller fixed to the graph inputs and to every declared
// shape. Requires: an imported graph. Produces: graph inputs with those dimensions. Leaves alone:
// what nodes compute.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/ir/size_names.hpp"
#include "compiler/passes/infer/infer.hpp"
#include "compiler/passes/pass.hpp"
#include "compiler/support/words.hpp"

namespace onnxc::passes {
namespace {

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
      if (const Dim& d = (*v.type.shape)[i]; d.is_const() && !d.is(dims[i])) {
        graph.stale_sizes = Graph::Stale::all;
        if (i == 0) graph.replaced_batches.push_back({d.value(), dims[0]});
      }
      std::vector<std::string> names;
      (*v.type.shape)[i].collect_symbols(names);
      if (names.size() == 1 && (*v.type.shape)[i] == Dim::symbol(names[0]))
        symbols.emplace(names[0], dims[i]);
    }
  v.type.shape = to_shape(dims);
}

// The symbols that get a value, wherever they occur.
class Binder {
 public:
  explicit Binder(const std::map<std::string, std::int64_t>& symbols) : symbols_(symbols) {}

  void bind(Graph& graph) {
    for (auto& value : graph.values) {
      bind(value->type);
      if (!value->declared) continue;
      Type declared = *value->declared;
      bind(declared);
      value->declared = std::make_shared<const Type>(std::move(declared));
    }
    for (auto& node : graph.nodes) {
      if (node->devices) bind(node->devices);
      each_subgraph(*node, [&](Graph& body) { bind(body); });
    }
  }

 private:
  using DeviceList = std::shared_ptr<const std::vector<NodeDevices>>;

  void bind(Type& type) const {
    if (type.shape)
      for (Dim& d : *type.shape) bind(d);
  }

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

// Why a name is none of an input's size.
std::string why_unknown(const Graph& graph, const std::string& name) {
  for (const Value* v : graph.inputs)
    if (v->type.shape && name.starts_with(v->name + ":"))
      return fmt::format("input {} is {}", quoted(v->name), v->type.to_string());
  return "the model has no dimension of this name";
}

// ", did you mean batch?", "; it has batch, length", or that there are none.
std::string other_names(const Graph& graph, const std::string& name) {
  constexpr std::size_t kShown = 10;
  std::vector<std::string> names = dynamic_dims(graph);
  if (names.empty()) return "; all sizes of its inputs are fixed";
  for (std::string& n : names) n = name_of_symbol(n);
  const std::string near = did_you_mean(name, names);
  if (!near.empty()) return near;
  const bool more = names.size() > kShown;
  names.resize(std::min(names.size(), kShown));
  return fmt::format("; it has {}{}", fmt::join(names, ", "), more ? ", ..." : "");
}

// One option --dim; a size that becomes a number is added to `symbols`. Returns what is wrong.
std::string apply(Graph& graph, const std::string& name, const DimRange& range,
                  std::map<std::string, std::int64_t>& symbols) {
  const bool of_values = bound_values(graph, name, range);
  const auto size = find_size(graph, name);
  if (!size && of_values) return "";
  if (!size) return why_unknown(graph, name) + other_names(graph, name);
  const bool one = range.low == range.high;
  if (!size->symbol) {
    Dim& d = (*size->input->type.shape)[size->axis];
    if (one && d.is(range.low)) return "";
    graph.stale_sizes = Graph::Stale::all;
    const Dim replaced = Dim::symbol(symbol_of_name(name));
    if (size->axis == 0) graph.replaced_batches.push_back({d.value(), one ? range.low : replaced});
    d = replaced;
  }
  const std::string symbol = size->symbol.value_or(symbol_of_name(name));
  if (one && !symbols.emplace(symbol, range.low).second && symbols.at(symbol) != range.low)
    return fmt::format("the same size is {} by another --dim", symbols.at(symbol));
  if (!one) graph.ranges[symbol] = {range.low, range.high, std::nullopt};
  return "";
}

// Sizes of results that are declared may be those of other inputs.
void doubt_declared_sizes(Graph& graph) {
  for (const Value* v : graph.inputs)
    if (!v->type.is_static()) graph.stale_sizes = Graph::Stale::inner;
}

}  // namespace

void bind_dims(Graph& graph, PassContext& context) {
  std::map<std::string, std::int64_t> symbols;
  doubt_declared_sizes(graph);
  for (const auto& [name, range] : context.options.dims) {
    const std::string trouble = apply(graph, name, range, symbols);
    if (!trouble.empty())
      context.diagnostics.error("bad-dim", fmt::format("--dim {}", name), trouble);
  }
  const auto& shapes = context.options.input_shapes;
  for (std::size_t i = 0; i < shapes.size() && i < graph.inputs.size(); ++i)
    if (shapes[i]) bind_shape(graph, i, *shapes[i], symbols, context.diagnostics);
  if (!symbols.empty()) Binder(symbols).bind(graph);
}

}  // namespace onnxc::passes

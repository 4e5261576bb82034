// Lists nodes with their shapes, parameters and work.
#include "compiler/cli/layers.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "compiler/interface/figures.hpp"
#include "compiler/ir/op.hpp"
#include "compiler/support/checked.hpp"
#include "compiler/support/terminal.hpp"

namespace onnxc {
namespace {

std::string operator_of(const Node& node) {
  const std::string q =
      quoted(node.domain.empty() ? node.op_type : node.domain + "." + node.op_type);
  return q.substr(1, q.size() - 2) + (node.version > 0 ? fmt::format("-{}", node.version) : "");
}

std::string title_of(const Node& node) {
  if (!node.sources.empty() && !node.sources[0].empty()) return node.sources[0];
  if (!node.name.empty()) return node.name;
  for (const Value* v : node.outputs)
    if (v) return v->name;
  return "";
}

bool is_weight(const Value* v) { return v && v->constant && !v->producer; }

class Lister {
 public:
  void list(const Graph& graph, int depth) {
    for (const auto& node : graph.nodes) {
      layers.push_back({node.get(), depth, title_of(*node), operator_of(*node), parameters(*node),
                        macs(*node), std::nullopt});
      each_subgraph(*node, [&](const Graph& body) { list(body, depth + 1); });
    }
  }

  std::vector<Layer> layers;

 private:
  std::int64_t parameters(const Node& node) {
    std::int64_t sum = 0;
    for (const Value* v : node.inputs)
      if (is_weight(v) && seen_.insert(v).second) sum += v->constant->size();
    return sum;
  }

  static std::optional<Dim> macs(const Node& node) {
    try {
      return node.op && node.op->macs ? node.op->macs(node) : std::nullopt;
    } catch (const OverflowError&) {
      return std::nullopt;
    }
  }

  std::set<const Value*> seen_;
};

double with_sizes_of_one(const Dim& d) {
  try {
    const Dim one = d.substitute([](const std::string&) { return std::optional<Dim>(1); });
    return static_cast<double>(std::max<std::int64_t>(one.constant().value_or(0), 0));
  } catch (const OverflowError&) {
    return 0;
  }
}

std::string attribute_text(std::int64_t v) { return std::to_string(v); }
std::string attribute_text(float v) { return fmt::format("{}", v); }
std::string attribute_text(const std::string& v) { return quoted(v); }
std::string attribute_text(const Tensor& v) {
  return Type::tensor(v.elem(), to_shape(v.dims())).to_string();
}
std::string attribute_text(const SparseTensor& v) { return "sparse " + attribute_text(v.values); }
std::string attribute_text(const std::shared_ptr<Graph>& v) {
  return "graph " + onnxc::quoted(v->name);
}
std::string attribute_text(const Type& v) { return v.to_string(); }
std::string attribute_text(const View& v) { return v.to_string(); }
template <class T>
std::string attribute_text(const std::vector<T>& list) {
  constexpr std::size_t kShown = 16;
  std::string text;
  for (std::size_t i = 0; i < std::min(list.size(), kShown); ++i)
    text += (i > 0 ? ", " : "") + attribute_text(list[i]);
  return "[" + text + (list.size() > kShown ? ", ...]" : "]");
}

std::string attributes_text(const Node& node) {
  std::string text;
  for (const auto& [name, value] : node.attributes)
    text += (text.empty() ? " {" : ", ") + name + "=" +
            std::visit([](const auto& v) { return attribute_text(v); }, value);
  return text.empty() ? "" : text + "}";
}

std::string names_of(const std::vector<Value*>& values, bool typed) {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Value* v = values[i];
    text += (i > 0 ? ", " : "") + (v ? v->name : std::string("_"));
    if (v && typed) text += ": " + v->type.to_string();
  }
  return text;
}

void list_nodes(const Graph& graph, std::size_t depth, std::string& out) {
  const auto line = [&](const std::string& text) {
    out += std::string(2 * depth, ' ') + terminal::text(text) + "\n";
  };
  line(fmt::format("graph {} ({}) -> ({}) {{", quoted(graph.name), names_of(graph.inputs, true),
                   names_of({graph.outputs.begin(), graph.outputs.end()}, true)));
  ++depth;
  for (const auto& v : graph.values)
    if (is_weight(v.get())) line(fmt::format("{}: {}", v->name, v->type.to_string()));
  for (const auto& node : graph.nodes) {
    const std::string title = title_of(*node);
    line(fmt::format("{} = {} ({}){}{}", names_of(node->outputs, true), operator_of(*node),
                     names_of({node->inputs.begin(), node->inputs.end()}, false),
                     attributes_text(*node), title.empty() ? "" : "  # " + title));
    each_subgraph(*node, [&](const Graph& body) { list_nodes(body, depth + 1, out); });
  }
  --depth;
  line("}");
}

}  // namespace

std::vector<Layer> layers_of(const Graph& graph) {
  Lister lister;
  lister.list(graph, 0);
  double all = 0;
  for (const Layer& layer : lister.layers)
    if (layer.macs) all += with_sizes_of_one(*layer.macs);
  for (Layer& layer : lister.layers)
    if (layer.macs && all > 0) layer.share = with_sizes_of_one(*layer.macs) / all;
  return std::move(lister.layers);
}

void print_layers(const std::vector<Layer>& layers) {
  std::vector<std::array<std::string, 6>> rows = {
      {"layer", "operator", "output", "parameters", "MACs", "share"}};
  std::array<std::size_t, 6> width{};
  for (const Layer& layer : layers)
    rows.push_back({std::string(2 * static_cast<std::size_t>(layer.depth), ' ') + layer.name,
                    layer.op, output_types(*layer.node),
                    layer.parameters > 0 ? std::to_string(layer.parameters) : "",
                    layer.macs ? macs_text(*layer.macs) : "",
                    layer.share ? fmt::format("{:.1f} %", 100 * *layer.share) : ""});
  for (auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = terminal::text(row[i]);
      width[i] = std::max(width[i], row[i].size());
    }
  for (const auto& row : rows) {
    std::string line = fmt::format("  {:<{}}  {:<{}}  {:<{}}  {:>{}}  {:>{}}  {:>{}}", row[0],
                                   width[0], row[1], width[1], row[2], width[2], row[3], width[3],
                                   row[4], width[4], row[5], width[5]);
    line.erase(line.find_last_not_of(' ') + 1);
    terminal::print(stdout, "{}\n", line);
  }
}

std::string node_list(const Graph& graph) {
  std::string out;
  list_nodes(graph, 0, out);
  return out;
}

}  // namespace onnxc

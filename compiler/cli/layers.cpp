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

std::string first_output(const Node& node) {
  for (const Value* v : node.outputs)
    if (v) return v->name;
  return "";
}

std::string title_of(const Node& node) {
  if (!node.sources.empty() && !node.sources[0].empty()) return node.sources[0];
  return node.name.empty() ? first_output(node) : node.name;
}

// The titles that several nodes of a graph have: those that import makes of one node.
std::set<std::string> shared_titles(const Graph& graph) {
  std::set<std::string> seen, shared;
  for (const auto& node : graph.nodes)
    if (const std::string title = title_of(*node); !seen.insert(title).second) shared.insert(title);
  return shared;
}

// A part of a node goes by what it makes and computes itself.
void name_part(const Node& node, Layer& layer) {
  layer.name += "/" + first_output(node);
  if (node.op && node.op->name != node.op_type) layer.op = node.op->name;
}

bool is_weight(const Value* v) { return v && v->constant && !v->producer; }

class Lister {
 public:
  void list(const Graph& graph, int depth) {
    const std::set<std::string> shared = shared_titles(graph);
    for (const auto& node : graph.nodes) {
      layers.push_back({node.get(), depth, title_of(*node), operator_of(*node), parameters(*node),
                        macs(*node), std::nullopt, output_bytes(*node)});
      if (shared.count(layers.back().name) != 0) name_part(*node, layers.back());
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

  static std::optional<Dim> output_bytes(const Node& node) {
    try {
      Dim sum = 0;
      for (const Value* v : node.outputs) {
        if (!v) continue;
        if (!v->type.is_tensor() || !v->type.shape) return std::nullopt;
        sum =
            sum + product(*v->type.shape) * static_cast<std::int64_t>(storage_bytes(v->type.elem));
      }
      return sum;
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

constexpr std::size_t kColumns = 7, kTextColumns = 3;

struct Row {
  using Widths = std::array<std::size_t, kColumns>;
  std::array<std::string, kColumns> cells;
};

Row row_of(const Layer& layer) {
  return {{std::string(2 * static_cast<std::size_t>(layer.depth), ' ') + layer.name, layer.op,
           output_types(*layer.node), layer.bytes ? bytes_text(*layer.bytes) : "",
           layer.parameters > 0 ? std::to_string(layer.parameters) : "",
           layer.macs ? macs_text(*layer.macs) : "",
           layer.share ? fmt::format("{:.1f} %", 100 * *layer.share) : ""}};
}

// What is not known counts as nothing, as in the shares.
Row totals(const std::vector<Layer>& layers) {
  Dim bytes = 0, macs = 0;
  std::int64_t parameters = 0;
  bool has_share = false;
  try {
    for (const Layer& layer : layers) {
      bytes = bytes + layer.bytes.value_or(0);
      macs = macs + layer.macs.value_or(0);
      parameters += layer.parameters;
      has_share = has_share || layer.share;
    }
  } catch (const OverflowError&) {
    return {{"total"}};
  }
  return {{"total", "", "", bytes_text(bytes), std::to_string(parameters), macs_text(macs),
           has_share ? "100 %" : ""}};
}

// Texts on the left, numbers on the right.
std::string line_of(const Row& row, const Row::Widths& width) {
  std::string line;
  for (std::size_t i = 0; i < kColumns; ++i)
    line += i < kTextColumns ? fmt::format("  {:<{}}", row.cells[i], width[i])
                             : fmt::format("  {:>{}}", row.cells[i], width[i]);
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
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
  std::vector<Row> rows = {{"layer", "operator", "output", "bytes", "parameters", "MACs", "share"}};
  for (const Layer& layer : layers) rows.push_back(row_of(layer));
  if (!layers.empty()) rows.push_back(totals(layers));
  Row::Widths width{};
  for (Row& row : rows)
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      row.cells[i] = terminal::text(row.cells[i]);
      width[i] = std::max(width[i], row.cells[i].size());
    }
  for (const Row& row : rows) terminal::print(stdout, "{}\n", line_of(row, width));
}

std::string node_list(const Graph& graph) {
  std::string out;
  list_nodes(graph, 0, out);
  return out;
}

}  // namespace onnxc

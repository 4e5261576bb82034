// Writes graphs in the text form of the IR.
#include "compiler/ir/print.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_map>

#include "compiler/ir/op.hpp"

namespace onnxc {
namespace {

constexpr std::int64_t kShown = 64;  // larger tensors are printed as hexadecimal bytes

std::string literal(const std::string& text) {
  std::string s = "\"";
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      s += std::string("\\") + c;
    else if (byte < 0x20 || byte >= 0x7f)
      s += fmt::format("\\x{:02x}", byte);
    else
      s += c;
  }
  return s + '"';
}

bool is_bare(const std::string& name) {
  const auto good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '/' || c == '#';
  };
  return !name.empty() && std::all_of(name.begin(), name.end(), good);
}

std::string bare_or_literal(const std::string& name) {
  return is_bare(name) ? name : literal(name);
}

// Shortest text that reads back the same and is not read as an integer; NaNs as their bits.
std::string real(float v) {
  if (std::isnan(v)) return fmt::format("bits<{:08x}>", std::bit_cast<std::uint32_t>(v));
  std::string s = fmt::format("{}", v);
  if (s.find_first_of(".en") == std::string::npos) s += ".0";
  return s;
}

bool prints_as_numbers(const Tensor& t) {
  if (t.size() > kShown) return false;
  if (t.elem() == ElemType::float32) {
    const auto v = t.as<float>();
    return std::none_of(v.begin(), v.end(), [](float x) { return std::isnan(x); });
  }
  return is_integer(t.elem()) || t.elem() == ElemType::boolean;
}

std::string element(const Tensor& t, std::size_t i, const std::vector<std::int64_t>& ints) {
  if (t.elem() == ElemType::float32) return fmt::format("{}", t.as<float>()[i]);
  if (t.elem() == ElemType::uint64) return fmt::format("{}", t.as<std::uint64_t>()[i]);
  return std::to_string(ints[i]);
}

std::string tensor_text(const Tensor& t) {
  std::string s = "dense<" + Type::tensor(t.elem(), to_shape(t.dims())).to_string() + ":";
  if (t.elem() == ElemType::string) {
    for (std::size_t i = 0; i < t.strings().size(); ++i)
      s += (i > 0 ? ", " : " ") + literal(t.strings()[i]);
  } else if (prints_as_numbers(t)) {
    const auto ints = t.to_int64s();
    for (std::size_t i = 0; i < static_cast<std::size_t>(t.size()); ++i)
      s += (i > 0 ? ", " : " ") + element(t, i, ints);
  } else {
    s += " 0x";
    static constexpr char kDigits[] = "0123456789abcdef";
    for (std::byte b : t.bytes()) {
      s += kDigits[std::to_integer<unsigned>(b) >> 4];
      s += kDigits[std::to_integer<unsigned>(b) & 15];
    }
  }
  return s + ">";
}

template <class List, class F>
std::string joined(const List& list, F text) {
  std::string s;
  for (const auto& item : list) s += (s.empty() ? "" : ", ") + text(item);
  return s;
}

std::string operator_text(const ops::Op* op) {
  if (!op) return "?";
  return (op->domain.empty() ? "" : std::string(op->domain) + "::") + std::string(op->name);
}

std::string partial_text(const std::vector<std::optional<Dim>>& dims) {
  return "[" + joined(dims, [](const auto& d) { return d ? d->to_string() : std::string("_"); }) +
         "]";
}

class Printer {
 public:
  std::string run(const Graph& graph) {
    print_graph(graph);
    return std::move(out_) + "\n";
  }

 private:
  void line(const std::string& text) {
    out_ += '\n';
    out_.append(2 * graphs_.size(), ' ');
    out_ += text;
  }

  void print_graph(const Graph& graph) {
    out_ += "graph " + literal(graph.name) + " (";
    enter(graph);
    for (std::size_t i = 0; i < graph.inputs.size(); ++i)
      out_ += (i > 0 ? ", " : "") + definition(*graph.inputs[i]);
    out_ += ") -> (" + references(graph.outputs) + ") {";
    print_sizes(graph);
    for (const auto& v : graph.values)
      if (!v->producer && !is_input(graph, v.get())) line(standalone(*v));
    for (const auto& node : graph.nodes) print_node(*node);
    graphs_.pop_back();
    line("}");
  }

  // Facts about dynamic dimensions.
  void print_sizes(const Graph& graph) {
    for (const auto& [symbol, range] : graph.ranges) {
      if (range.low == 0 && !range.high && !range.at_most) continue;
      std::string s = "range " + symbol;
      if (range.low != 0) s += fmt::format(" !low {}", range.low);
      if (range.high) s += fmt::format(" !high {}", *range.high);
      if (range.at_most) s += " !at_most " + range.at_most->to_string();
      line(s);
    }
    for (const auto& [symbol, d] : graph.definitions)
      line("define " + symbol + " = " + d.to_string());
    for (const DimLimit& l : graph.limits)
      line(fmt::format("limit {}, {}", l.dim.to_string(), l.most));
    for (const Relation& r : graph.relations)
      line((r.may_broadcast ? "broadcasts " : "equal ") + r.a.to_string() + ", " + r.b.to_string());
  }

  void enter(const Graph& graph) {
    graphs_.push_back(&graph);
    for (const auto& v : graph.values) depth_[v.get()] = graphs_.size();
    for (const Value* v : graph.inputs) inputs_[v] = &graph;
  }

  bool is_input(const Graph& graph, const Value* v) const {
    const auto it = inputs_.find(v);
    return it != inputs_.end() && it->second == &graph;
  }

  // `const %w = dense<...>`, or any value without a producer.
  static std::string standalone(const Value& v) {
    const bool plain = v.constant && !v.quantized && !v.extent && v.layout == Layout::plain &&
                       !v.view_of &&
                       v.type == Type::tensor(v.constant->elem(), to_shape(v.constant->dims()));
    if (plain) return "const " + name_of(v) + " = " + tensor_text(*v.constant);
    return "value " + definition(v);
  }

  static std::string name_of(const Value& v) { return "%" + bare_or_literal(v.name); }

  static std::string quantized_text(const QuantizedConstant& q) {
    return fmt::format(" !quantized {} {} {}{}", q.axis, tensor_text(q.integers),
                       tensor_text(q.scale), q.zero_point ? " " + tensor_text(*q.zero_point) : "");
  }

  static std::string definition(const Value& v) {
    std::string s = name_of(v) + ": " + v.type.to_string();
    if (v.layout == Layout::channels_last) s += " !layout channels_last";
    if (v.state >= 0) s += fmt::format(" !state {}", v.state);
    if (v.view_of)
      s += fmt::format(" !view_of {} channel {}", name_of(*v.view_of), v.channel_offset);
    if (!v.partial_extent.empty()) s += " !partial_extent " + partial_text(v.partial_extent);
    if (v.extent) s += " !extent " + to_string(*v.extent);
    if (v.before_rounding) s += " !before_rounding " + to_string(*v.before_rounding);
    if (v.constant) s += " !const " + tensor_text(*v.constant);
    if (v.quantized) s += quantized_text(*v.quantized);
    return s;
  }

  std::string reference(const Value* v) {
    if (!v) return "_";
    const auto it = depth_.find(v);
    const std::size_t levels = it == depth_.end() ? 0 : graphs_.size() - it->second;
    return std::string(levels, '^') + name_of(*v);
  }
  std::string references(const std::vector<Value*>& values) {
    return joined(values, [this](const Value* v) { return reference(v); });
  }

  void print_node(const Node& node) {
    line(joined(node.outputs, [](const Value* v) { return v ? definition(*v) : "_"; }));
    out_ += (node.outputs.empty() ? "() = " : " = ") + operator_text(node.op) + "(" +
            references(node.inputs) + ")";
    print_attributes(node.attributes);
    print_facts(node);
  }

  void print_facts(const Node& node) {
    if (!node.name.empty()) out_ += " !name " + literal(node.name);
    if (node.op && (node.op_type != node.op->name || node.domain != node.op->domain))
      out_ += " !as " + literal(node.op_type) + " " + literal(node.domain);
    if (node.index != 0) out_ += fmt::format(" !index {}", node.index);
    if (node.version != 0) out_ += fmt::format(" !version {}", node.version);
    if (!node.sources.empty()) out_ += " !sources [" + joined(node.sources, literal) + "]";
    if (node.body_inputs != 0) out_ += fmt::format(" !body_inputs {}", node.body_inputs);
    if (node.devices)
      for (const NodeDevices& devices : *node.devices) print_devices(devices, node);
    if (node.body.empty()) return;
    out_ += " !body {";
    for (std::size_t i = 0; i < node.body.size(); ++i) {
      out_ += i > 0 ? "; " : "";
      print_step(node.body[i]);
    }
    out_ += "}";
  }

  // !devices "two" stage 1 (%x on [[0], [1]] axis 0 (4 into 1, _ into 2)), without what is said of
  // values that another node reads or writes.
  void print_devices(const NodeDevices& devices, const Node& node) {
    out_ += " !devices " + literal(devices.configuration);
    if (devices.stage) out_ += fmt::format(" stage {}", *devices.stage);
    std::string specs;
    for (const ShardingSpec& spec : devices.specs) {
      const auto operand = operand_of(node, spec.value);
      if (operand) specs += (specs.empty() ? "" : ", ") + reference(operand) + spec_text(spec);
    }
    out_ += " (" + specs + ")";
  }

  static const Value* operand_of(const Node& node, const Value* v) {
    const bool found = std::find(node.inputs.begin(), node.inputs.end(), v) != node.inputs.end() ||
                       std::find(node.outputs.begin(), node.outputs.end(), v) != node.outputs.end();
    return found ? v : nullptr;
  }

  static std::string spec_text(const ShardingSpec& spec) {
    std::string s =
        " on [" +
        joined(spec.groups,
               [](const std::vector<int>& group) {
                 return "[" + joined(group, [](int device) { return std::to_string(device); }) +
                        "]";
               }) +
        "]";
    for (const ShardedAxis& axis : spec.axes)
      s += fmt::format(" axis {} (", axis.axis) +
           joined(axis.factors,
                  [](const AxisFactor& f) {
                    return fmt::format("{} into {}", f.extent ? f.extent->to_string() : "_",
                                       f.shards);
                  }) +
           ")";
    return s;
  }

  void print_step(const ScalarStep& step) {
    out_ += std::string(info(step.elem).short_name) + " " + operator_text(step.op) + "(";
    out_ += joined(step.operands, [](int operand) -> std::string {
      if (operand == ScalarStep::kAccumulator) return "acc";
      return operand >= 0 ? fmt::format("in {}", operand) : fmt::format("step {}", ~operand);
    });
    out_ += ")";
    print_attributes(step.attributes);
  }

  void print_attributes(const Attributes& attributes) {
    if (attributes.empty()) return;
    out_ += " {";
    bool first = true;
    for (const auto& [name, value] : attributes) {
      out_ += (first ? "" : ", ") + bare_or_literal(name) + "=";
      std::visit([this](const auto& v) { print_value(v); }, value);
      first = false;
    }
    out_ += "}";
  }

  void print_value(std::int64_t v) { out_ += std::to_string(v); }
  void print_value(float v) { out_ += real(v); }
  void print_value(const std::string& v) { out_ += literal(v); }
  void print_value(const Tensor& v) { out_ += tensor_text(v); }
  void print_value(const SparseTensor& v) {
    out_ += "sparse<[" + joined(v.dims, [](std::int64_t d) { return std::to_string(d); }) + "], " +
            tensor_text(v.values) + ", " + tensor_text(v.indices) + ">";
  }
  void print_value(const std::shared_ptr<Graph>& v) { print_graph(*v); }
  void print_value(const Type& v) { out_ += "type(" + v.to_string() + ")"; }
  void print_value(const View& v) { out_ += v.to_string(); }
  template <class T>
  void print_value(const std::vector<T>& list) {
    // An empty list does not show its kind.
    const bool plain = std::is_same_v<T, std::int64_t> || std::is_same_v<T, float> ||
                       std::is_same_v<T, std::string>;
    if (list.empty() || !plain) out_ += ops::kind_name(ops::kind_of(Attribute(list)));
    out_ += "[";
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i > 0) out_ += ", ";
      print_value(list[i]);
    }
    out_ += "]";
  }

  std::string out_;
  std::vector<const Graph*> graphs_;
  std::unordered_map<const Value*, std::size_t> depth_;
  std::unordered_map<const Value*, const Graph*> inputs_;
};

}  // namespace

std::string print(const Graph& graph) {
  // Names of sizes may be of other alphabets.
  std::string ascii;
  for (const char c : Printer().run(graph)) {
    const auto byte = static_cast<unsigned char>(c);
    ascii += byte < 0x80 ? std::string(1, c) : fmt::format("\\x{:02x}", byte);
  }
  return ascii;
}

}  // namespace onnxc

// Reads graphs and tensors in the text form of the IR.
#include "compiler/ir/parse.hpp"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <unordered_map>

#include "compiler/ir/lexer.hpp"
#include "compiler/ir/op.hpp"
#include "compiler/ir/parse_types.hpp"
#include "compiler/support/checked.hpp"

namespace onnxc {
namespace {

constexpr std::size_t kDepthLimit = 100;  // of nested graphs

// ---- tensors ------------------------------------------------------------------------------------

class TensorParser {
 public:
  TensorParser(Lexer& lexer, TypeParser& types) : in_(lexer), types_(types) {}

  Tensor tensor() {
    in_.expect("dense<");
    const Type type = types_.type();
    in_.expect(":");
    if (!type.is_static()) in_.fail("a tensor needs a fixed shape");
    Tensor t = contents(type.elem, fixed(*type.shape));
    in_.expect(">");
    return t;
  }

 private:
  Tensor contents(ElemType elem, std::vector<std::int64_t> dims) {
    const auto count = static_cast<std::size_t>(checked_product(dims));
    if (elem == ElemType::string) {
      std::vector<std::string> strings;
      while (in_.peek() != '>') {
        if (!strings.empty()) in_.expect(",");
        strings.push_back(in_.string_literal());
      }
      if (strings.size() != count) in_.fail("wrong number of strings");
      return {std::move(dims), std::move(strings)};
    }
    std::vector<std::byte> bytes;
    if (in_.accept("0x"))
      bytes = hex();
    else
      for (bool first = true; in_.peek() != '>'; first = false) {
        if (!first) in_.expect(",");
        append(elem, in_.number(), bytes);
      }
    if (bytes.size() != count * elem_bytes(elem)) in_.fail("wrong number of elements");
    return {elem, std::move(dims), Blob::owned(std::move(bytes))};
  }

  std::vector<std::byte> hex() {
    const std::string digits = in_.hex_digits();
    if (digits.size() % 2 != 0) in_.fail("odd number of hexadecimal digits");
    std::vector<std::byte> bytes(digits.size() / 2);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      unsigned v = 0;
      std::from_chars(digits.data() + 2 * i, digits.data() + 2 * i + 2, v, 16);
      bytes[i] = static_cast<std::byte>(v);
    }
    return bytes;
  }

  template <class T>
  void put(T value, std::vector<std::byte>& bytes) {
    const auto view = std::as_bytes(std::span(&value, 1));
    bytes.insert(bytes.end(), view.begin(), view.end());
  }

  template <class T>
  void put_integer(const std::string& text, std::vector<std::byte>& bytes) {
    T v = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), v);
    if (error != std::errc{} || end != text.data() + text.size()) in_.fail("bad integer " + text);
    put(v, bytes);
  }

  void append(ElemType elem, const std::string& text, std::vector<std::byte>& bytes) {
    switch (elem) {
      case ElemType::float32:
        return put(std::strtof(text.c_str(), nullptr), bytes);
      case ElemType::float64:
        return put(std::strtod(text.c_str(), nullptr), bytes);
      case ElemType::int8:
      case ElemType::int4:
      case ElemType::int2:
        return put_integer<std::int8_t>(text, bytes);
      case ElemType::int16:
        return put_integer<std::int16_t>(text, bytes);
      case ElemType::int32:
        return put_integer<std::int32_t>(text, bytes);
      case ElemType::int64:
        return put_integer<std::int64_t>(text, bytes);
      case ElemType::uint16:
        return put_integer<std::uint16_t>(text, bytes);
      case ElemType::uint32:
        return put_integer<std::uint32_t>(text, bytes);
      case ElemType::uint64:
        return put_integer<std::uint64_t>(text, bytes);
      case ElemType::uint8:
      case ElemType::uint4:
      case ElemType::uint2:
      case ElemType::boolean:
        return put_integer<std::uint8_t>(text, bytes);
      default:
        in_.fail("this element type is written as 0x...");
    }
  }

  Lexer& in_;
  TypeParser& types_;
};

// ---- graphs -------------------------------------------------------------------------------------

class GraphParser {
 public:
  explicit GraphParser(std::string_view text) : in_(text), types_(in_), tensors_(in_, types_) {}

  std::unique_ptr<Graph> run() {
    auto graph = std::make_unique<Graph>();
    parse_graph(*graph);
    if (!in_.at_end()) in_.fail("text after the graph");
    return graph;
  }

 private:
  struct Scope {
    Graph* graph;
    std::unordered_map<std::string, Value*> names;
    std::vector<std::pair<Value*, std::string>> views;  // and of what
  };

  void parse_graph(Graph& graph) {
    in_.expect("graph");
    if (scopes_.size() >= kDepthLimit) in_.fail("nested too deeply");
    if (in_.peek() == '"') graph.name = in_.string_literal();
    if (!scopes_.empty()) graph.parent = scopes_.back().graph;
    scopes_.push_back({&graph, {}, {}});
    in_.expect("(");
    while (in_.peek() != ')') {
      if (!graph.inputs.empty()) in_.expect(",");
      graph.inputs.push_back(definition());
    }
    in_.expect(")");
    in_.expect("->");
    // Outputs are resolved when everything is known.
    const std::vector<Reference> outputs = references("(", ")");
    in_.expect("{");
    while (!in_.accept("}")) item();
    for (const Reference& r : outputs) graph.outputs.push_back(resolve(r));
    for (const auto& [part, wide] : scopes_.back().views) part->view_of = resolve({0, wide});
    scopes_.pop_back();
  }

  void item() {
    if (in_.accept_word("const")) {
      const std::string name = value_name();
      in_.expect("=");
      Tensor tensor = tensors_.tensor();
      add(name, Type::tensor(tensor.elem(), to_shape(tensor.dims())))->constant = std::move(tensor);
    } else if (in_.accept_word("value")) {
      definition();
    } else if (in_.accept_word("range")) {
      range();
    } else if (in_.accept_word("define")) {
      const std::string symbol = in_.word();
      in_.expect("=");
      graph().definitions.emplace_back(symbol, types_.dim());
    } else if (in_.accept_word("limit")) {
      Dim dim = types_.dim();
      in_.expect(",");
      graph().limits.push_back({std::move(dim), in_.integer()});
    } else if (in_.accept_word("equal")) {
      relation(false);
    } else if (in_.accept_word("broadcasts")) {
      relation(true);
    } else {
      node();
    }
  }

  Graph& graph() { return *scopes_.back().graph; }

  void range() {
    ExtentRange& range = graph().ranges[in_.word()];
    for (;;) {
      if (in_.accept("!low"))
        range.low = in_.integer();
      else if (in_.accept("!high"))
        range.high = in_.integer();
      else if (in_.accept("!at_most"))
        range.at_most = types_.dim();
      else
        return;
    }
  }

  void relation(bool may_broadcast) {
    Dim a = types_.dim();
    in_.expect(",");
    graph().relations.push_back({std::move(a), types_.dim(), may_broadcast});
  }

  // ---- values -----------------------------------------------------------------------------------

  struct Reference {
    std::size_t levels = 0;
    std::optional<std::string> name;  // nullopt: left out
  };

  std::string value_name() {
    in_.expect("%");
    return in_.name();
  }

  Value* add(const std::string& name, Type type) {
    Graph& graph = *scopes_.back().graph;
    Value* v = graph.add_value(name, std::move(type));
    if (!scopes_.back().names.emplace(name, v).second) in_.fail("defined twice: %" + name);
    reserve_fresh(graph, name);
    return v;
  }

  // Names that the compiler made before must not be made again.
  static void reserve_fresh(Graph& graph, const std::string& name) {
    const std::size_t mark = name.rfind('#');
    if (mark == std::string::npos) return;
    int wanted = 0;
    const char* end = name.data() + name.size();
    if (std::from_chars(name.data() + mark + 1, end, wanted).ptr != end) return;
    graph.reserve_names(name.substr(0, mark), wanted);
  }

  // Axis, integers, scale and perhaps zero point.
  std::shared_ptr<const QuantizedConstant> quantized() {
    QuantizedConstant q;
    q.axis = in_.count();
    q.integers = tensors_.tensor();
    q.scale = tensors_.tensor();
    if (in_.peek() == 'd') q.zero_point = tensors_.tensor();
    return std::make_shared<const QuantizedConstant>(std::move(q));
  }

  Value* definition() {
    const std::string name = value_name();
    Value* v = add(name, in_.accept(":") ? types_.type() : Type{});
    for (;;) {
      if (in_.accept("!layout")) {
        in_.expect("channels_last");
        v->layout = Layout::channels_last;
      } else if (in_.accept("!state")) {
        v->state = in_.integer_as<int>();
      } else if (in_.accept("!view_of")) {
        scopes_.back().views.emplace_back(v, value_name());
        in_.expect("channel");
        v->channel_offset = in_.integer();
      } else if (in_.accept("!partial_extent")) {
        v->partial_extent = list<std::optional<Dim>>([this]() -> std::optional<Dim> {
          if (in_.accept_word("_")) return std::nullopt;
          return types_.dim();
        });
      } else if (in_.accept("!extent")) {
        v->extent = types_.shape();
      } else if (in_.accept("!before_rounding")) {
        v->before_rounding = types_.shape();
      } else if (in_.accept("!const")) {
        v->constant = tensors_.tensor();
      } else if (in_.accept("!quantized")) {
        v->quantized = quantized();
      } else {
        return v;
      }
    }
  }

  Reference reference() {
    Reference r;
    if (in_.accept_word("_")) return r;
    while (in_.accept("^")) ++r.levels;
    r.name = value_name();
    return r;
  }

  std::vector<Reference> references(const char* open, const char* close) {
    std::vector<Reference> list;
    in_.expect(open);
    while (in_.peek() != *close) {
      if (!list.empty()) in_.expect(",");
      list.push_back(reference());
    }
    in_.expect(close);
    return list;
  }

  Value* resolve(const Reference& r) {
    if (!r.name) return nullptr;
    if (r.levels >= scopes_.size()) in_.fail("no graph so far around this one");
    const auto& names = scopes_[scopes_.size() - 1 - r.levels].names;
    const auto it = names.find(*r.name);
    if (it == names.end()) in_.fail("undefined: %" + *r.name);
    return it->second;
  }

  // ---- nodes ------------------------------------------------------------------------------------

  const ops::Op* operator_named() {
    std::string name = in_.word(), domain;
    if (in_.accept("::")) {
      domain = name;
      name = in_.word();
    }
    const ops::Op* op = ops::find(domain, name);
    if (!op) in_.fail("unknown operator " + name);
    return op;
  }

  void node() {
    std::vector<Value*> outputs;
    if (!in_.accept("()")) {
      do outputs.push_back(in_.accept_word("_") ? nullptr : definition());
      while (in_.accept(","));
    }
    in_.expect("=");
    const ops::Op* op = operator_named();
    std::vector<Value*> inputs;
    for (const Reference& r : references("(", ")")) inputs.push_back(resolve(r));
    Attributes attributes = parse_attributes();
    Node* n = scopes_.back().graph->add_node(op, std::move(inputs), std::move(outputs));
    n->attributes = std::move(attributes);
    n->op_type = op->name;
    n->domain = op->domain;
    while (in_.accept("!")) fact(*n);
  }

  void fact(Node& n) {
    const std::string key = in_.word();
    if (key == "name") {
      n.name = in_.string_literal();
    } else if (key == "as") {
      n.op_type = in_.string_literal();
      n.domain = in_.string_literal();
    } else if (key == "index") {
      n.index = in_.count();
    } else if (key == "version") {
      n.version = in_.integer_as<int>();
    } else if (key == "sources") {
      n.sources = list<std::string>([this] { return in_.string_literal(); });
    } else if (key == "body_inputs") {
      n.body_inputs = in_.count();
    } else if (key == "devices") {
      auto list = n.devices ? *n.devices : std::vector<NodeDevices>{};
      list.push_back(node_devices());
      n.devices = std::make_shared<const std::vector<NodeDevices>>(std::move(list));
    } else if (key == "body") {
      in_.expect("{");
      do n.body.push_back(step());
      while (in_.accept(";"));
      in_.expect("}");
    } else {
      in_.fail("unknown fact " + key);
    }
  }

  NodeDevices node_devices() {
    NodeDevices devices;
    devices.configuration = in_.string_literal();
    if (in_.accept_word("stage")) devices.stage = in_.integer_as<int>();
    in_.expect("(");
    while (!in_.accept(")")) {
      if (!devices.specs.empty()) in_.expect(",");
      devices.specs.push_back(sharding_spec());
    }
    return devices;
  }

  ShardingSpec sharding_spec() {
    ShardingSpec spec;
    spec.value = resolve(reference());
    if (!in_.accept_word("on")) in_.fail("expected 'on'");
    spec.groups = list<std::vector<int>>(
        [this] { return list<int>([this] { return in_.integer_as<int>(); }); });
    while (in_.accept_word("axis")) {
      ShardedAxis axis{in_.integer_as<int>(), {}};
      in_.expect("(");
      while (!in_.accept(")")) {
        if (!axis.factors.empty()) in_.expect(",");
        axis.factors.push_back(axis_factor());
      }
      spec.axes.push_back(std::move(axis));
    }
    return spec;
  }

  AxisFactor axis_factor() {
    AxisFactor factor;
    if (!in_.accept_word("_")) factor.extent = types_.dim();
    if (!in_.accept_word("into")) in_.fail("expected 'into'");
    factor.shards = in_.integer_as<int>();
    return factor;
  }

  // Of an input or an earlier step.
  int operand() {
    const int number = in_.integer_as<int>();
    if (number < 0) in_.fail("operand " + std::to_string(number) + " is out of range");
    return number;
  }

  ScalarStep step() {
    ScalarStep s;
    s.elem = types_.elem(in_.word());
    s.op = operator_named();
    in_.expect("(");
    while (in_.peek() != ')') {
      if (!s.operands.empty()) in_.expect(",");
      if (in_.accept_word("acc"))
        s.operands.push_back(ScalarStep::kAccumulator);
      else if (in_.accept_word("in"))
        s.operands.push_back(operand());
      else
        in_.expect("step"), s.operands.push_back(~operand());
    }
    in_.expect(")");
    s.attributes = parse_attributes();
    return s;
  }

  // ---- attributes -------------------------------------------------------------------------------

  Attributes parse_attributes() {
    Attributes attributes;
    if (!in_.accept("{")) return attributes;
    while (!in_.accept("}")) {
      if (!attributes.empty()) in_.expect(",");
      const std::string name = in_.name();
      in_.expect("=");
      if (!attributes.emplace(name, attribute()).second) in_.fail("attribute twice: " + name);
    }
    return attributes;
  }

  template <class T, class F>
  std::vector<T> list(F one) {
    std::vector<T> items;
    in_.expect("[");
    while (!in_.accept("]")) {
      if (!items.empty()) in_.expect(",");
      items.push_back(one());
    }
    return items;
  }

  static bool is_real(const std::string& text) {
    return text.find_first_of(".en") != std::string::npos;
  }

  float real() {
    if (!in_.accept("bits<")) return std::strtof(in_.number().c_str(), nullptr);
    const std::string digits = in_.hex_digits();
    std::uint32_t bits = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), bits, 16);
    in_.expect(">");
    return std::bit_cast<float>(bits);
  }

  std::shared_ptr<Graph> body() {
    auto graph = std::make_shared<Graph>();
    parse_graph(*graph);
    return graph;
  }

  Type type_in_parentheses() {
    in_.expect("type(");
    Type t = types_.type();
    in_.expect(")");
    return t;
  }

  View view() {
    View v;
    in_.expect("view(");
    v.dims = types_.shape();
    in_.expect(",");
    v.strides = types_.shape();
    in_.expect(",");
    v.offset = types_.dim();
    in_.expect(")");
    if (v.dims.size() != v.strides.size()) in_.fail("a view needs a stride for every axis");
    return v;
  }

  SparseTensor sparse() {
    in_.expect("sparse<");
    SparseTensor s;
    s.dims = list<std::int64_t>([this] { return in_.integer(); });
    in_.expect(",");
    s.values = tensors_.tensor();
    in_.expect(",");
    s.indices = tensors_.tensor();
    in_.expect(">");
    return s;
  }

  Attribute attribute() {
    const auto real_list = [this] { return list<float>([this] { return real(); }); };
    const auto string_list = [this] {
      return list<std::string>([this] { return in_.string_literal(); });
    };
    if (in_.peek() == '"') return in_.string_literal();
    if (in_.peek() == '[') return plain_list();
    if (in_.accept_word("ints")) return list<std::int64_t>([this] { return in_.integer(); });
    if (in_.accept_word("floats")) return real_list();
    if (in_.accept_word("strings")) return string_list();
    if (in_.accept_word("tensors")) return list<Tensor>([this] { return tensors_.tensor(); });
    if (in_.accept_word("graphs")) return list<std::shared_ptr<Graph>>([this] { return body(); });
    if (in_.accept_word("types")) return list<Type>([this] { return type_in_parentheses(); });
    const char c = in_.peek();
    if (c == 'd') return tensors_.tensor();
    if (c == 's') return sparse();
    if (c == 'g') return body();
    if (c == 't') return type_in_parentheses();
    if (c == 'b') return real();
    if (c == 'v') return view();
    return number();
  }

  Attribute number() {
    const std::string text = in_.number();
    if (is_real(text)) return std::strtof(text.c_str(), nullptr);
    std::int64_t v = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), v);
    if (error != std::errc{} || end != text.data() + text.size()) in_.fail("bad number " + text);
    return v;
  }

  // The first item determines the kind; a list with a float holds floats.
  Attribute plain_list() {
    in_.expect("[");
    if (in_.accept("]")) return std::vector<std::int64_t>{};
    std::vector<Attribute> items;
    do items.push_back(attribute());
    while (in_.accept(","));
    in_.expect("]");
    if (std::holds_alternative<std::string>(items[0])) return collect<std::string>(items);
    if (std::holds_alternative<float>(items[0])) return collect<float>(items);
    return collect<std::int64_t>(items);
  }

  template <class T>
  Attribute collect(const std::vector<Attribute>& items) {
    std::vector<T> out;
    for (const Attribute& item : items) {
      if (!std::holds_alternative<T>(item)) in_.fail("a list of different kinds");
      out.push_back(std::get<T>(item));
    }
    return out;
  }

  Lexer in_;
  TypeParser types_;
  TensorParser tensors_;
  std::vector<Scope> scopes_;
};

}  // namespace

std::unique_ptr<Graph> parse_graph(std::string_view text) { return GraphParser(text).run(); }

}  // namespace onnxc

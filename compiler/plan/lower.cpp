#include "compiler/plan/lower.hpp"

#include <fmt/format.h>

#include <set>

#include "compiler/ops/lower.hpp"
#include "compiler/support/checked.hpp"

namespace onnxc {
namespace {

class Lowering {
 public:
  Lowering(const Graph& graph, const Target& target, Diagnostics& diagnostics)
      : graph_(graph), target_(target), diagnostics_(diagnostics) {
    program_.alignment = target.alignment;
  }

  Program run() {
    if (!check_types()) return std::move(program_);
    add_ports();
    for (const auto& node : graph_.nodes) lower(*node);
    connect_outputs();
    return std::move(program_);
  }

 private:
  // Every value that a kernel touches must be a tensor of fixed size.
  bool check_types() {
    std::set<std::string> symbols;
    for (const Value* v : graph_.inputs) check(*v, "graph input", symbols);
    check_nodes(graph_, symbols);
    if (!symbols.empty()) {
      std::string list;
      for (const std::string& s : symbols) list += (list.empty() ? "" : ", ") + s;
      diagnostics_.error("dynamic-dim", "",
                         fmt::format("sizes known only at run time: {}; fix "
                                     "each with --dim NAME=N",
                                     list));
    }
    return !diagnostics_.has_errors();
  }

  void check_nodes(const Graph& graph, std::set<std::string>& symbols) {
    for (const auto& node : graph.nodes) {
      for (const Value* v : node->outputs)
        if (v) check(*v, describe(*node), symbols);
      each_subgraph(*node, [&](const Graph& g) { check_nodes(g, symbols); });
    }
  }

  void check(const Value& v, const std::string& where, std::set<std::string>& symbols) {
    const std::string place = fmt::format("{}, {}", where, quoted(v.name));
    if (v.type.kind == Type::Kind::unknown) {
      diagnostics_.error("unknown-type", place, "its type could not be inferred");
    } else if (!v.type.is_tensor()) {
      diagnostics_.error("unsupported", place, v.type.to_string() + " is not supported yet");
    } else if (v.type.elem == ElemType::string) {
      diagnostics_.error("unsupported-type", place,
                         fmt::format("{} is not supported yet", info(v.type.elem).onnx_name));
    } else if (!v.type.has_rank()) {
      diagnostics_.error("dynamic-dim", place, "its rank is known only at run time");
    } else {
      check_extents(v, place, symbols);
    }
  }

  void check_extents(const Value& v, const std::string& place, std::set<std::string>& symbols) {
    std::vector<std::string> names;
    for (const Dim& d : *v.type.shape) d.collect_symbols(names);
    for (const std::string& name : names) {
      if (name[0] != '?')
        symbols.insert(quoted(name));
      else
        diagnostics_.error(
            "dynamic-dim", place,
            fmt::format("shape {} depends on the values of the input", to_string(*v.type.shape)));
    }
  }

  BufferId add_buffer(const Value& v, Buffer::Kind kind) {
    Buffer b;
    b.kind = kind;
    b.name = v.name;
    b.elem = v.type.elem;
    b.shape = stored_shape(*v.type.shape, v.layout);
    b.value = &v;
    program_.buffers.push_back(std::move(b));
    const auto id = static_cast<BufferId>(program_.buffers.size() - 1);
    buffers_[&v] = id;
    return id;
  }

  void add_ports() {
    for (const Value* v : graph_.inputs)
      program_.inputs.push_back(add_buffer(*v, Buffer::Kind::input));
    // A result may be listed twice, or be an input or a constant: those are copied at the end.
    for (const Value* v : graph_.outputs) {
      const bool direct = v->producer && !v->constant && !buffers_.count(v);
      if (direct) {
        program_.outputs.push_back(add_buffer(*v, Buffer::Kind::output));
        continue;
      }
      Buffer b;
      b.kind = Buffer::Kind::output;
      b.name = v->name;
      b.elem = v->type.elem;
      b.shape = *v->type.shape;
      program_.buffers.push_back(std::move(b));
      program_.outputs.push_back(static_cast<BufferId>(program_.buffers.size() - 1));
      copied_.emplace_back(v, program_.outputs.back());
    }
    for (const auto& node : graph_.nodes)
      for (const Value* v : node->outputs)
        if (v && !buffers_.count(v)) add_buffer(*v, Buffer::Kind::arena);
  }

  // Loops keep the memory of their state apart from what an iteration makes, so a subgraph's values
  // are ordinary buffers. Parents of views stay what they are: an outer output is the caller's.
  void lower_nested(const Graph& graph) {
    for (const auto& node : graph.nodes) {
      for (const Value* v : node->outputs)
        if (v && !buffers_.count(v)) add_buffer(*v, Buffer::Kind::arena);
      lower(*node);
    }
  }

  void lower(const Node& node) {
    const auto report = [&](const std::string& id, const std::string& field, const char* what) {
      diagnostics_.error(id, describe(node) + (field.empty() ? "" : ", " + field), what);
    };
    try {
      ops::Lower n(node, program_, buffers_, target_, [this](const Graph& g) { lower_nested(g); });
      if (node.op->lower)
        node.op->lower(n);
      else if (node.op->scalar)
        ops::lower_map(n);
      else
        n.unsupported("", "the operator is not supported yet");
    } catch (const OpError& e) {
      report(e.id, e.field, e.what());
    } catch (const OverflowError& e) {
      report("overflow", "", e.what());
    }
  }

  void connect_outputs() {
    for (const auto& [value, output] : copied_) {
      auto source = buffers_.find(value);
      if (source == buffers_.end()) {
        const BufferId id = add_buffer(*value, Buffer::Kind::constant);
        program_.at(id).constant = *value->constant;
        source = buffers_.find(value);
      }
      Step step;
      step.name = "copy_" + value->name;
      step.kernel = "copy";
      step.header = "templates/copy.hpp";
      step.title = "Copy";
      step.params = {{"count", product(*value->type.shape)}};
      step.args = {{BufferArg{source->second, false}}, {BufferArg{output, true}}};
      program_.steps.push_back(std::move(step));
    }
  }

  const Graph& graph_;
  const Target& target_;
  Diagnostics& diagnostics_;
  Program program_;
  std::map<const Value*, BufferId> buffers_;
  std::vector<std::pair<const Value*, BufferId>> copied_;
};

}  // namespace

Program lower_graph(const Graph& graph, const Target& target, Diagnostics& diagnostics) {
  return Lowering(graph, target, diagnostics).run();
}

}  // namespace onnxc

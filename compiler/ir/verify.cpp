// Checks of the invariants of a graph.
#include "compiler/ir/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "compiler/ir/layout.hpp"

namespace onnxc {
namespace {

class Verifier {
 public:
  Verifier(bool typed, std::vector<std::string>& problems) : typed_(typed), problems_(problems) {}

  void run(const Graph& graph, const std::string& place) {
    place_ = place;
    std::vector<const Value*> added;
    check_values(graph, added);
    for (const Value* v : graph.inputs)
      if (v && v->producer) report(quoted(v->name) + " is a graph input and made by a node");
    for (const auto& node : graph.nodes) check_node(graph, *node, added);
    check_parts(graph);
    for (const Value* v : graph.outputs) ++reads_[v];
    for (const Value* v : graph.outputs)
      if (!v || !ready_.count(v)) report("graph output " + name(v) + " is not made");
    for (const auto& v : graph.values) check_uses(*v);
    for (const Value* v : added) {
      known_.erase(v);
      ready_.erase(v);
    }
  }

 private:
  static std::string name(const Value* v) { return v ? quoted(v->name) : "null"; }
  void report(const std::string& what) { problems_.push_back(place_ + what); }

  void check_values(const Graph& graph, std::vector<const Value*>& added) {
    std::set<std::string_view> names;
    for (const auto& v : graph.values) {
      if (!names.insert(v->name).second) report("two values are named " + name(v.get()));
      known_.insert(v.get());
      added.push_back(v.get());
      if (!v->producer) ready_.insert(v.get());
      if (v->constant) check_constant(*v);
      if (v->quantized && (!v->constant || v->constant->dims() != v->quantized->integers.dims()))
        report(name(v.get()) + " is not what was dequantised");
    }
    for (const Value* v : graph.inputs)
      if (!known_.count(v)) report("graph input " + name(v) + " is no value of the graph");
  }

  void check_constant(const Value& v) {
    const Type actual = Type::tensor(v.constant->elem(), to_shape(v.constant->dims()));
    if (v.type.kind == Type::Kind::sparse_tensor || compatible(v.type, actual)) return;
    report(fmt::format("{} has the type {}, its contents {}", name(&v), v.type.to_string(),
                       actual.to_string()));
  }

  void check_node(const Graph& graph, const Node& node, std::vector<const Value*>& added) {
    if (!node.op) report(describe(node) + " has no operator");
    if (node.graph != &graph) report(describe(node) + " does not know its graph");
    for (const Value* v : node.inputs) ++reads_[v];
    for (const Value* v : node.inputs)
      if (v && !ready_.count(v))
        report(fmt::format("{} uses {} before it is made", describe(node).text(), name(v)));
    check_bodies(graph, node);
    for (const Value* v : node.outputs) {
      if (!v) continue;
      if (!known_.count(v)) report(describe(node) + " makes " + name(v) + ", which is unknown");
      if (v->producer != &node) report(describe(node) + " is not the producer of " + name(v));
      if (!ready_.insert(v).second) report(name(v) + " is made twice");
      if (typed_ && v->type.kind == Type::Kind::unknown) report(name(v) + " has no type");
      added.push_back(v);
    }
    check_steps(node);
    if (node.op) check_views(node);
  }

  // Attributes that are views name the inputs and outputs that they are views of.
  void check_views(const Node& node) {
    const ops::Signature& signature = ops::signature(*node.op);
    const auto check = [&](const std::vector<ops::Formal>& formals,
                           const std::vector<Value*>& values) {
      for (std::size_t i = 0; i < std::min(formals.size(), values.size()); ++i) {
        const Attribute* attribute = node.find(std::string(formals[i].name));
        const View* view = attribute ? std::get_if<View>(attribute) : nullptr;
        if (view && values[i] && !lies_inside(*view, *values[i]))
          report(fmt::format("{}: {} is no part of {}", describe(node).text(), view->to_string(),
                             name(values[i])));
      }
    };
    check(signature.inputs, node.inputs);
    check(signature.outputs, node.outputs);
  }

  // As far as sizes are known.
  static bool lies_inside(const View& view, const Value& base) {
    if (view.dims.size() != view.strides.size()) return false;
    Dim last = view.offset;
    for (std::size_t i = 0; i < view.rank(); ++i) {
      if (view.dims[i].is(0)) return true;
      last = last + (view.dims[i] - 1) * view.strides[i];
    }
    if (!last.is_const() || !base.type.is_static()) return true;
    return view.offset.is_never_below(0) && last.value() < product(*base.type.shape).value();
  }

  // Readers are counted: every one of them is a use of the value, and there are no other uses.
  void check_uses(const Value& v) {
    const auto found = reads_.find(&v);
    const std::size_t readers = found == reads_.end() ? 0 : found->second;
    if (readers != v.users().size())
      report(fmt::format("{} has {} uses, but {} readers", name(&v), v.users().size(), readers));
    for (const Use& use : v.users()) {
      const Operands& operands = use.node ? use.node->inputs : use.graph->outputs;
      if (use.index >= operands.size() || operands[use.index] != &v)
        report(name(&v) + " has a use that is none");
    }
  }

  void check_steps(const Node& node) {
    for (std::size_t i = 0; i < node.body.size(); ++i)
      for (int operand : node.body[i].operands) {
        const bool good = operand == ScalarStep::kAccumulator ||
                          (operand >= 0 ? static_cast<std::size_t>(operand) < node.inputs.size()
                                        : static_cast<std::size_t>(~operand) < i);
        if (!good) report(fmt::format("{}: step {} has a bad operand", describe(node).text(), i));
      }
  }

  void check_bodies(const Graph& graph, const Node& node) {
    const std::string outer = place_;
    const auto body = [&](const std::string& key, const Graph& inner) {
      if (inner.parent != &graph) report(describe(node) + ": body " + key + " has another parent");
      run(inner, outer + describe(node) + ", " + key + ": ");
      place_ = outer;
    };
    for (const auto& [key, attribute] : node.attributes) {
      if (const auto* g = std::get_if<std::shared_ptr<Graph>>(&attribute)) body(key, **g);
      if (const auto* gs = std::get_if<std::vector<std::shared_ptr<Graph>>>(&attribute))
        for (const auto& g : *gs) body(key, *g);
    }
  }

  // ---- views of wider tensors -------------------------------------------------------------------

  static bool is_image(const Value& v) {
    return v.layout == Layout::channels_last && v.type.has_rank() && v.type.rank() >= 3 &&
           (*v.type.shape)[1].is_const();
  }

  // Whether a view is inside its wider tensor: the shapes differ in the number of channels only.
  static bool fits(const Value& part, const Value& whole) {
    if (!is_image(part) || !is_image(whole) || part.type.elem != whole.type.elem) return false;
    Shape channels_of_whole = *part.type.shape;
    channels_of_whole[1] = (*whole.type.shape)[1];
    const std::int64_t available = channels_of_whole[1].value() - part.channel_offset;
    return channels_of_whole == *whole.type.shape && part.channel_offset >= 0 &&
           (*part.type.shape)[1].value() <= available;
  }

  // A wider tensor is made by a Concat that finds the view at its place, or only adds padding.
  static bool is_in_place(const Value& part) {
    const Node* maker = part.view_of->producer;
    if (!maker) return true;
    if (maker->op != ops::find("", "Concat")) return false;
    std::int64_t channel = 0;
    for (const Value* v : maker->inputs) {
      if (v == &part && channel == part.channel_offset) return true;
      if (!is_image(*v)) return false;
      channel += (*v->type.shape)[1].value();
    }
    return false;
  }

  void check_parts(const Graph& graph) {
    std::set<const Value*> parts;
    for (const auto& v : graph.values) {
      if (!v->view_of) continue;
      parts.insert(v.get());
      if (!known_.count(v->view_of) || !fits(*v, *v->view_of))
        report(fmt::format("{} does not fit into {}", name(v.get()), name(v->view_of)));
      else if (!is_in_place(*v))
        report(fmt::format("{} is not where {} needs it", name(v.get()), name(v->view_of)));
      if (!v->producer || v->constant || !ops::writes_part(*v->producer))
        report(name(v.get()) + " is a part, which its producer cannot write");
    }
    if (parts.empty()) return;
    check_readers(graph, parts, true);
  }

  void check_readers(const Graph& graph, const std::set<const Value*>& parts, bool outermost) {
    for (const auto& node : graph.nodes) {
      for (const Value* v : node->inputs)
        if (v && parts.count(v) && !(outermost && ops::reads_parts(*node, *v)))
          report(fmt::format("{} reads the part {} densely", describe(*node).text(), name(v)));
      each_subgraph(*node, [&](const Graph& body) { check_readers(body, parts, false); });
    }
    for (const Value* v : graph.outputs)
      if (parts.count(v)) report("graph output " + name(v) + " is a part");
  }

  bool typed_;
  std::vector<std::string>& problems_;
  std::string place_;
  std::unordered_set<const Value*> known_, ready_;
  std::unordered_map<const Value*, std::size_t> reads_;  // counted so far
};

}  // namespace

std::vector<std::string> verify(const Graph& graph, bool typed) {
  std::vector<std::string> problems;
  Verifier(typed, problems).run(graph, "");
  return problems;
}

}  // namespace onnxc

// expand_gradients: replaces Gradient nodes by the nodes that compute the derivatives. Requires:
// types, and the nodes as the model has them: passes that merge or replace nodes destroy the
// tensors that a Gradient names. Produces: typed nodes of ai.onnx, constants evaluated. Inner
// bodies come first, and nodes in their order: so the result of one Gradient can be differentiated
// again.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "compiler/ir/clone.hpp"
#include "compiler/ir/op.hpp"
#include "compiler/ops/control_flow/body.hpp"
#include "compiler/ops/random/seed.hpp"
#include "compiler/passes/autodiff/autodiff.hpp"
#include "compiler/passes/infer/infer.hpp"
#include "compiler/passes/pass.hpp"
#include "compiler/support/checked.hpp"

namespace onnxc::passes {
namespace {

// The operands of a Gradient node; `points` stand for the named tensors.
struct Request {
  std::vector<Value*> xs, zs, points;
  Value* y = nullptr;

  explicit Request(const Node& node) {
    const std::size_t named = (node.inputs.size() - 1) / 2;
    const std::size_t count = std::get<std::vector<std::string>>(*node.find("xs")).size();
    for (std::size_t i = 0; i < named; ++i) {
      points.push_back(node.inputs[i]);
      (i < count ? xs : zs).push_back(node.inputs[named + i]);
    }
    y = node.inputs[2 * named];
  }

  std::vector<Value*> named() const {
    std::vector<Value*> all = xs;
    all.insert(all.end(), zs.begin(), zs.end());
    return all;
  }
};

// The value of `others` that v is computed from, if there is one. A dependence by integers, as on a
// shape, has no derivative and does not count.
const Value* dependence(Value* v, const ValueSet& others) {
  std::unordered_map<const Value*, const Value*> source;
  for (const Node* node : slice_of({v}, others)) {
    const Value* found = nullptr;
    for (const Value* operand : operands_of(*node)) {
      if (!ops::is_differentiable(operand->type)) continue;
      if (others.count(operand) > 0) found = operand;
      if (const auto it = source.find(operand); it != source.end()) found = it->second;
    }
    for (const Value* result : node->outputs)
      if (found && result) source.emplace(result, found);
  }
  const auto it = source.find(v);
  return it == source.end() ? nullptr : it->second;
}

void check_independence(const Request& r) {
  const std::vector<Value*> all = r.named();
  for (Value* v : all) {
    if (!v->producer) continue;
    ValueSet others(all.begin(), all.end());
    others.erase(v);
    if (const Value* other = dependence(v, others))
      throw OpError("invalid-node", "attributes \"xs\" and \"zs\"",
                    fmt::format("{} depends on {}: they must be independent", quoted(v->name),
                                quoted(other->name)));
  }
}

// Computes y at other points: nodes that read a named tensor, or one that depends on it, are
// repeated. Changes the request to the copies.
class Substitution {
 public:
  Substitution(Request& request, ops::NodeBuilder& builder)
      : request_(request), builder_(builder) {}

  void run() {
    std::vector<Value*> named = request_.named();
    for (std::size_t i = 0; i < named.size(); ++i) {
      if (named[i] == request_.points[i]) continue;
      // Two tensors may be given at the same point; each has its own derivative.
      Value* point = builder_.emit("Identity", {request_.points[i]});
      copies_[named[i]] = point;
    }
    if (copies_.empty()) return;
    const ValueSet cuts(named.begin(), named.end());
    for (Node* node : slice_of({request_.y}, cuts)) copy(*node);
    for (Value*& v : request_.xs) v = mapped(copies_, v);
    for (Value*& v : request_.zs) v = mapped(copies_, v);
    request_.y = mapped(copies_, request_.y);
  }

 private:
  void copy(Node& node) {
    bool changed = false;
    for (const Value* v : operands_of(node)) changed = changed || copies_.count(v) > 0;
    if (!changed) return;
    ops::keep_stream(node);
    std::vector<Value*> inputs;
    for (Value* v : node.inputs) inputs.push_back(mapped(copies_, v));
    Attributes attributes = node.attributes;
    for (auto& [key, attribute] : attributes) {
      if (auto* body = std::get_if<std::shared_ptr<Graph>>(&attribute)) *body = copied(**body);
      if (auto* bodies = std::get_if<std::vector<std::shared_ptr<Graph>>>(&attribute))
        for (auto& body : *bodies) body = copied(*body);
    }
    const auto results = builder_.add(*node.op, inputs, node.outputs.size(), std::move(attributes));
    for (std::size_t i = 0; i < results.size(); ++i)
      if (node.outputs[i]) copies_[node.outputs[i]] = results[i];
  }

  std::shared_ptr<Graph> copied(const Graph& body) {
    auto copy = copy_graph(body, builder_.graph(), copies_);
    ops::clear_inferred(*copy);
    return copy;
  }

  Request& request_;
  ops::NodeBuilder& builder_;
  ValueMap copies_;
};

class Expansion {
 public:
  Expansion(Node& node, GraphEditor& editor, PassContext& context)
      : node_(node), editor_(editor), context_(context), request_(node) {}

  void run() {
    check_independence(request_);
    GraphBuilder builder(editor_, context_, {});
    builder.set_provenance(node_);
    Substitution(request_, builder).run();
    if (!request_.y->type.is_tensor()) return;
    const ops::Cotangent cotangent{request_.y, builder.filled(1, request_.y)};
    const auto gradients = vjp(builder, {cotangent}, request_.xs, request_.zs);
    builder.set_provenance(node_);
    warn_of_zeros(gradients);
    for (std::size_t i = 0; i < node_.outputs.size(); ++i)
      if (node_.outputs[i]) finish(i, gradients[i], builder);
    editor_.erase(node_);
  }

 private:
  // A copy, even of a value that the new nodes make: others of xs may be computed from that value,
  // while the results of a Gradient are independent of each other.
  void finish(std::size_t i, Value* found, GraphBuilder& builder) {
    Value* const result = node_.outputs[i];
    if (!found) found = builder.filled(0, request_.xs[i]);
    result->producer = nullptr;
    result->type = found->type;
    editor_.emit_as(result, "Identity", {found}).devices = node_.devices;
    result->constant = found->constant;
  }

  // y was meant to depend on something.
  void warn_of_zeros(const std::vector<Value*>& gradients) {
    for (const Value* g : gradients)
      if (g) return;
    context_.diagnostics.warning(
        "gradient-stops", describe(node_),
        fmt::format("no path with a derivative leads from xs to {}: the gradient is zero",
                    quoted(request_.y->name)));
  }

  Node& node_;
  GraphEditor& editor_;
  PassContext& context_;
  Request request_;
};

void expand(Node& node, GraphEditor& editor, PassContext& context) {
  const auto report = [&](const std::string& id, const std::string& field, const char* what) {
    context.diagnostics.error(id, describe(node) + (field.empty() ? "" : ", " + field), what);
  };
  try {
    Expansion(node, editor, context).run();
  } catch (const OpError& e) {
    report(e.id, e.field, e.what());
  } catch (const SymbolicExtent& e) {
    report("dynamic-dim", "", e.what());
  } catch (const OverflowError& e) {
    report("overflow", "", e.what());
  }
}

// Nodes that read a derivative that turned out to be constant.
void fold_readers(Graph& graph) {
  for (auto& node : graph.nodes) fold_node(*node);
}

}  // namespace

void expand_gradients(Graph& graph, PassContext& context) {
  if (context.diagnostics.has_errors()) return;
  bool expanded = false;
  GraphEditor editor(graph);
  editor.each([&](Node& node) {
    each_subgraph(node, [&](Graph& body) { expand_gradients(body, context); });
    if (node.op->named_values.empty()) return;
    expand(node, editor, context);
    expanded = true;
  });
  if (expanded) fold_readers(graph);
}

}  // namespace onnxc::passes

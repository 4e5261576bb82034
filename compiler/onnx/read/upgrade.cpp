// Finds the operator of a node, checks the node and runs the operator's upgrade.
#include "compiler/onnx/read/upgrade.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/ir/op.hpp"
#include "compiler/onnx/read/devices.hpp"
#include "compiler/ops/upgrade.hpp"
#include "compiler/support/checked.hpp"
#include "compiler/support/words.hpp"

namespace onnxc::reader {
namespace {

// A node that is not added to the graph must not be a producer.
void drop(const Node& node) {
  for (Value* v : node.outputs)
    if (v && v->producer == &node) v->producer = nullptr;
}

class Adder {
 public:
  Adder(std::unique_ptr<Node> node, Graph& graph, const Location& place, Context& context)
      : node_(std::move(node)),
        graph_(graph),
        context_(context),
        devices_(node_->devices),
        where_(place + describe(*node_)) {}

  void run() {
    name_outputs();
    for (Value* v : node_->outputs)
      if (v) v->producer = node_.get();
    const std::vector<Value*> given = node_->inputs;
    ops::Upgrade upgrade(*node_, graph_, node_->version);
    if (!check_attributes(*node_, report()) || !has_ports() || !apply(upgrade)) return drop(*node_);
    const auto& inputs = node_->inputs;
    const auto changed = std::mismatch(given.begin(), given.end(), inputs.begin(), inputs.end());
    node_->unchanged_inputs = static_cast<std::size_t>(changed.first - given.begin());
    append(upgrade.before);
    const bool good = check_arity(*node_, report());
    if (good)
      graph_.append(std::move(node_));
    else
      drop(*node_);
    append(upgrade.after);
  }

 private:
  // Models leave out outputs without readers, even where the standard requires them. Kernels rely
  // on those.
  void name_outputs() {
    const ops::Signature& signature = ops::signature(*node_->op);
    for (std::size_t i = 0; i < node_->outputs.size(); ++i) {
      const ops::Formal* formal = signature.output(i);
      if (node_->outputs[i] || !formal || formal->optional) continue;
      node_->outputs[i] = graph_.add_value(graph_.fresh_name(std::string(formal->name)));
    }
  }

  // Upgrades rely on them.
  bool has_ports() {
    const auto& versions = ops::signature(*node_->op).versions;
    return versions.size() == 1 ? check_arity(*node_, report())
                                : check_ports_of_older(*node_, report());
  }

  ReportProblem report() {
    return [this](const std::string& id, const std::string& field, const std::string& message) {
      context_.error(OpError(id, field, message), where_);
    };
  }

  bool apply(ops::Upgrade& upgrade) {
    if (!node_->op->upgrade) return true;
    try {
      node_->op->upgrade(upgrade);
      return true;
    } catch (const OpError& e) {
      context_.error(e, where_);
    } catch (const OverflowError& e) {
      context_.error("invalid-node", where_, e.what());
    }
    return false;
  }

  void append(std::vector<std::unique_ptr<Node>>& made) {
    for (auto& node : made) {
      node->devices = devices_;
      graph_.append(std::move(node));
    }
  }

  std::unique_ptr<Node> node_;
  Graph& graph_;
  Context& context_;
  DeviceList devices_;
  Location where_;
};

std::string title(const Node& node) {
  const std::string q =
      quoted(node.domain.empty() ? node.op_type : node.domain + "::" + node.op_type);
  return q.substr(1, q.size() - 2);
}

// For an unknown operator: the domain, the operator, or the domain of the operator that was meant.
std::string suggestion(const Node& node) {
  std::vector<std::string> domains, names;
  std::string elsewhere;
  for (const ops::Op* op : ops::all()) {
    if (op->domain == "onnxc") continue;
    const std::string domain(op->domain.empty() ? "ai.onnx" : op->domain);
    if (std::find(domains.begin(), domains.end(), domain) == domains.end())
      domains.push_back(domain);
    if (op->domain == canonical_domain(node.domain)) names.emplace_back(op->name);
    if (op->name == node.op_type) elsewhere = domain;
  }
  if (!elsewhere.empty()) return fmt::format("; the domain {} has one of this name", elsewhere);
  if (names.empty()) {
    const std::string near = did_you_mean(node.domain, domains);
    return near.empty() ? "; its domain has no operators that onnxc knows" : near;
  }
  return did_you_mean(node.op_type, names);
}

}  // namespace

void resolve_operator(Node& node, const OpsetImports& opsets) {
  if (node.op_type.empty()) throw OpError("invalid-node", "", "op_type is empty");
  const auto import = opsets.find(canonical_domain(node.domain));
  node.op = ops::find(node.domain, node.op_type);
  if (!node.op)
    throw OpError(
        "unknown-operator", "",
        fmt::format("operator {0} is unknown{1}; --operator {0}=HEADER gives it a function, a "
                    "model-local function would, too",
                    title(node), suggestion(node)));
  // ONNX Runtime's own domain has one version, and models leave it out.
  const bool only_version = node.op->domain == "com.microsoft";
  if (import == opsets.end() && !only_version)
    throw OpError("bad-opset", "",
                  fmt::format("opset_import lacks the domain {}", quoted(node.domain)));
  const std::int64_t opset = import == opsets.end() ? 1 : import->second;
  if (node.op->deprecated > 0 && opset >= node.op->deprecated)
    throw OpError("removed-operator", "",
                  fmt::format("{} was removed in opset {}, model has {}", title(node),
                              node.op->deprecated, opset));
  node.version = ops::since_version(*node.op, opset);
  if (node.version == 0)
    throw OpError("too-new-operator", "",
                  fmt::format("{} needs opset {}, model has {}", title(node),
                              ops::signature(*node.op).versions.front(), opset));
}

void add_upgraded(std::unique_ptr<Node> node, Graph& graph, const Location& place,
                  Context& context) {
  Adder(std::move(node), graph, place, context).run();
}

}  // namespace onnxc::reader

// Finds tensors by the names that they have in the file.
#include "compiler/onnx/read/probes.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "compiler/ir/editor.hpp"
#include "compiler/ir/op.hpp"
#include "compiler/support/words.hpp"
#include "proto/onnx.pb.h"

namespace onnxc {
namespace {

// What the nodes of a graph and of its bodies make.
void collect(const pb::GraphProto& graph, std::set<std::string>& names) {
  for (const auto& node : graph.node()) {
    for (const std::string& output : node.output())
      if (!output.empty()) names.insert(output);
    for (const auto& attribute : node.attribute()) {
      if (attribute.has_g()) collect(attribute.g(), names);
      for (const auto& body : attribute.graphs()) collect(body, names);
    }
  }
}

class Prober {
 public:
  Prober(const std::set<std::string>& wanted, bool all) : wanted_(wanted), all_(all) {}

  // A name that a graph around this one has, too, is the tensor there: `outer`.
  void visit(Graph& graph, const std::set<std::string>& outer = {}) {
    std::set<std::string> names = outer;
    std::vector<Value*> made;
    for (const auto& node : graph.nodes)
      for (Value* v : node->outputs) {
        if (!v) continue;
        names.insert(v->name);
        if (wanted_.count(v->name) && outer.count(v->name) == 0) made.push_back(v);
      }
    for (const auto& node : graph.nodes)
      each_subgraph(*node, [&](Graph& body) { visit(body, names); });
    GraphEditor editor(graph);
    for (Value* v : made) {
      editor.after(*v->producer);
      Attributes attributes;
      attributes["name"] = v->name;
      attributes["all"] = std::int64_t{all_};
      editor.emit_all(*ops::find("onnxc", "Probe"), {v}, 0, std::move(attributes));
      found_.insert(v->name);
    }
  }

  const std::set<std::string>& found() const { return found_; }

 private:
  const std::set<std::string>& wanted_;
  bool all_;
  std::set<std::string> found_;
};

bool is_readable(const Type& type) {
  return type.is_tensor() && type.has_rank() && type.elem != ElemType::string;
}

}  // namespace

void add_probes(Graph& graph, const ModelFile& file, const std::vector<std::string>& names,
                Diagnostics& diagnostics) {
  if (names.empty() || !file.proto) return;
  std::set<std::string> made, wanted(names.begin(), names.end());
  collect(file.proto->graph(), made);
  const bool all = wanted.count("*") > 0;
  if (all) wanted = made;
  Prober prober(wanted, all);
  prober.visit(graph);
  if (all) return;
  for (const std::string& name : wanted) {
    if (prober.found().count(name)) continue;
    const std::vector<std::string> known(made.begin(), made.end());
    diagnostics.error(
        "undefined-name", fmt::format("--probe {}", name),
        fmt::format("no node makes a tensor of this name{}", did_you_mean(name, known)));
  }
}

void drop_unreadable_probes(Graph& graph, Diagnostics& diagnostics) {
  for (const auto& node : graph.nodes)
    each_subgraph(*node, [&](Graph& body) { drop_unreadable_probes(body, diagnostics); });
  const ops::Op* const probe = ops::find("onnxc", "Probe");
  GraphEditor editor(graph);
  editor.each([&](Node& node) {
    if (node.op != probe || is_readable(node.inputs[0]->type)) return;
    const std::string& name = std::get<std::string>(*node.find("name"));
    if (std::get<std::int64_t>(*node.find("all")) == 0)
      diagnostics.error("undefined-name", fmt::format("--probe {}", name),
                        fmt::format("the value is {}: only tensors of numbers are handed out",
                                    node.inputs[0]->type.to_string()));
    editor.erase(node);
  });
}

}  // namespace onnxc

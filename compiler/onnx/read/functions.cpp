// Builds the call graph of model-local functions and measures their expansion.
#include "compiler/onnx/read/functions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/ir/graph.hpp"
#include "proto/onnx.pb.h"

namespace onnxc::reader {
namespace {

using NodeList = google::protobuf::RepeatedPtrField<pb::NodeProto>;

std::string escaped(const std::string& text) {
  const std::string q = quoted(text);
  return q.substr(1, q.size() - 2);
}

// Calls f for every node of the list and of the subgraphs in it. The recursion is bounded by
// protobuf's own limit on nesting.
template <class F>
void each_node(const NodeList& nodes, F& f) {
  for (const auto& node : nodes) {
    f(node);
    for (const auto& attribute : node.attribute()) {
      each_node(attribute.g().node(), f);
      for (const auto& graph : attribute.graphs()) each_node(graph.node(), f);
    }
  }
}

std::string cycle_text(const std::vector<Function*>& path, const Function* closing) {
  std::string text;
  auto it = std::find(path.begin(), path.end(), closing);
  for (; it != path.end(); ++it) text += (*it)->title + " -> ";
  return text + closing->title;
}

}  // namespace

const Function* Functions::find(const pb::NodeProto& node) const {
  if (table_.empty()) return nullptr;
  const auto it = table_.find({canonical_domain(node.domain()), node.op_type(), node.overload()});
  return it == table_.end() ? nullptr : &it->second;
}

void Functions::add(const pb::FunctionProto& proto, Context& context) {
  const std::string domain = canonical_domain(proto.domain());
  Function f;
  f.proto = &proto;
  f.title = escaped(domain) + "::" + escaped(proto.name());
  if (!proto.overload().empty()) f.title += ":" + escaped(proto.overload());
  if (proto.name().empty()) context.error("bad-function", "function " + f.title, "has no name");
  f.opsets = import_opsets(proto.opset_import(), "function " + f.title, context);
  if (!table_.emplace(Function::Key{domain, proto.name(), proto.overload()}, f).second)
    context.error("duplicate-function", "function " + f.title, "is defined twice");
}

// Depth-first over the call graph with a stack of our own: chains may be of any length.
bool Functions::measure(Function& start, Context& context) {
  struct Visit {
    Function* function;
    std::size_t next = 0;
  };
  std::vector<Visit> stack;
  std::vector<Function*> path;
  const auto enter = [&](Function& f) {
    f.expanded = -1;  // size not known yet
    stack.push_back({&f});
    path.push_back(&f);
  };
  enter(start);
  while (!stack.empty()) {
    Function& f = *stack.back().function;
    if (stack.back().next < f.callees.size()) {
      Function& callee = *f.callees[stack.back().next++];
      if (callee.expanded < 0) {
        context.error("recursive-function", "function " + callee.title,
                      "calls itself: " + cycle_text(path, &callee));
        return false;
      }
      if (callee.expanded == 0) enter(callee);
      continue;
    }
    std::int64_t nodes = f.own_nodes + 1;
    for (const Function* callee : f.callees) {
      nodes = std::min(nodes + callee->expanded, context.limits.nodes + 1);
      f.depth = std::max(f.depth, callee->depth + 1);
    }
    f.expanded = std::min(nodes, context.limits.nodes + 1);
    stack.pop_back();
    path.pop_back();
  }
  return true;
}

bool Functions::read(const pb::ModelProto& model, Context& context) {
  for (const auto& proto : model.functions()) add(proto, context);
  for (auto& entry : table_) {
    Function& f = entry.second;
    const auto count = [&](const pb::NodeProto& node) {
      ++f.own_nodes;
      if (const Function* callee = find(node)) f.callees.push_back(const_cast<Function*>(callee));
    };
    each_node(f.proto->node(), count);
  }
  for (auto& [key, f] : table_)
    if (f.expanded == 0 && !measure(f, context)) return false;
  bool good = true;
  std::int64_t total = 0;
  const auto sum = [&](const pb::NodeProto& node) {
    const Function* f = find(node);
    if (f && f->depth >= context.limits.calls && good) {
      context.error("too-deep", "function " + f->title,
                    fmt::format("function depth is over the limit of {} nested calls; --max-calls",
                                context.limits.calls));
      good = false;
    }
    total = std::min(total + (f ? f->expanded : 1), context.limits.nodes + 1);
  };
  each_node(model.graph().node(), sum);
  for (const auto& info : model.training_info()) {
    each_node(info.initialization().node(), sum);
    each_node(info.algorithm().node(), sum);
  }
  if (good && total > context.limits.nodes) {
    context.error(
        "too-large", table_.empty() ? "graph" : "functions",
        fmt::format("expanded node count over the limit of {}; --max-nodes", context.limits.nodes));
    good = false;
  }
  return good;
}

}  // namespace onnxc::reader

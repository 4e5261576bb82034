// Sorts nodes topologically, and finds cycles and values that are made twice.
#include "compiler/onnx/read/order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <queue>
#include <set>
#include <string_view>

#include "compiler/ir/op.hpp"
#include "proto/onnx.pb.h"

namespace onnxc::reader {
namespace {

using Names = std::set<std::string_view>;

void collect_free_names(const pb::NodeProto& node, Names& out);

// The outer names that a subgraph reads.
void collect_free_names(const pb::GraphProto& graph, Names& out) {
  Names used;
  for (const auto& node : graph.node()) collect_free_names(node, used);
  for (const auto& output : graph.output()) used.insert(output.name());
  for (const auto& node : graph.node())
    for (const std::string& name : node.output()) used.erase(name);
  for (const auto& input : graph.input()) used.erase(input.name());
  for (const auto& tensor : graph.initializer()) used.erase(tensor.name());
  for (const auto& sparse : graph.sparse_initializer()) used.erase(sparse.values().name());
  out.merge(used);
}

// The values that attributes name, which the operator reads like inputs.
void collect_named_values(const pb::NodeProto& node, Names& out) {
  const ops::Op* op = ops::find(node.domain(), node.op_type());
  if (!op || op->named_values.empty()) return;
  for (const auto& attribute : node.attribute()) {
    if (!names_values(*op, attribute.name())) continue;
    if (attribute.has_s()) out.insert(attribute.s());
    out.insert(attribute.strings().begin(), attribute.strings().end());
  }
}

void collect_free_names(const pb::NodeProto& node, Names& out) {
  out.insert(node.input().begin(), node.input().end());
  collect_named_values(node, out);
  for (const auto& attribute : node.attribute()) {
    if (attribute.has_g()) collect_free_names(attribute.g(), out);
    for (const auto& graph : attribute.graphs()) collect_free_names(graph, out);
  }
}

class Sorter {
 public:
  explicit Sorter(Scope& frame)
      : frame_(frame), uses_(static_cast<std::size_t>(frame.nodes->size())) {}

  NodeOrder run() {
    collect();
    const int count = frame_.nodes->size();
    for (int i = 0; i < count; ++i) order_.indices.push_back(i);
    if (!order_.unsorted.empty()) sort();
    return std::move(order_);
  }

 private:
  const pb::NodeProto& node(int i) const { return frame_.nodes->Get(i); }
  std::string title(int i) const { return node_title(node(i), i); }
  std::vector<int>& uses(int i) { return uses_[static_cast<std::size_t>(i)]; }

  void collect() {
    for (int i = 0; i < frame_.nodes->size(); ++i)
      for (const std::string& name : node(i).output())
        if (!name.empty()) note_maker(i, name);
    for (int i = 0; i < frame_.nodes->size(); ++i) {
      Names names;
      collect_free_names(node(i), names);
      for (std::string_view name : names) note_use(i, name);
    }
  }

  void note_maker(int i, const std::string& name) {
    const auto [it, fresh] = frame_.makers.emplace(name, i);
    if (fresh || node(i).op_type() != "Constant") return;
    const int earlier = static_cast<int>(it->second);
    if (node(earlier).op_type() != "Constant") return;
    order_.superseded.insert(earlier);
    it->second = i;
  }

  void note_use(int i, std::string_view name) {
    const auto it = frame_.makers.find(name);
    if (it == frame_.makers.end() || frame_.names.count(name)) return;
    const int maker = static_cast<int>(it->second);
    uses(i).push_back(maker);
    if (maker >= i && order_.unsorted.empty())
      order_.unsorted = fmt::format("{} uses {} before {} makes it", title(i),
                                    quoted(std::string(name)), title(maker));
  }

  // Kahn's algorithm, always taking the ready node that comes first in the file.
  void sort() {
    std::vector<std::vector<int>> users(uses_.size());
    std::vector<std::size_t> waiting(uses_.size());
    std::priority_queue<int, std::vector<int>, std::greater<>> ready;
    for (int i = 0; i < frame_.nodes->size(); ++i) {
      for (int maker : uses(i)) users[static_cast<std::size_t>(maker)].push_back(i);
      waiting[static_cast<std::size_t>(i)] = uses(i).size();
      if (uses(i).empty()) ready.push(i);
    }
    order_.indices.clear();
    while (!ready.empty()) {
      const int i = ready.top();
      ready.pop();
      order_.indices.push_back(i);
      for (int user : users[static_cast<std::size_t>(i)])
        if (--waiting[static_cast<std::size_t>(user)] == 0) ready.push(user);
    }
    if (order_.indices.size() == uses_.size()) return;
    std::vector<int> stuck;
    for (int i = 0; i < frame_.nodes->size(); ++i)
      if (waiting[static_cast<std::size_t>(i)] > 0) stuck.push_back(i);
    order_.cycle = cycle_text(stuck.front(), waiting);
    order_.indices.insert(order_.indices.end(), stuck.begin(), stuck.end());
  }

  // Every stuck node reads a value of a stuck one: walking back along them must reach a cycle.
  std::string cycle_text(int start, const std::vector<std::size_t>& waiting) {
    std::vector<int> path;
    std::vector<bool> seen(uses_.size());
    int i = start;
    while (!seen[static_cast<std::size_t>(i)]) {
      seen[static_cast<std::size_t>(i)] = true;
      path.push_back(i);
      i = *std::find_if(uses(i).begin(), uses(i).end(),
                        [&](int maker) { return waiting[static_cast<std::size_t>(maker)] > 0; });
    }
    // The walk is from reader to producer; data flows the other way.
    std::vector<int> ring(std::find(path.begin(), path.end(), i), path.end());
    ring.push_back(i);
    std::reverse(ring.begin(), ring.end());
    constexpr std::size_t kShown = 20;
    std::string text;
    for (std::size_t k = 0; k < ring.size() && k < kShown; ++k)
      text += (k > 0 ? " -> " : "") + title(ring[k]);
    return text + (ring.size() > kShown ? " -> ..." : "");
  }

  Scope& frame_;
  NodeOrder order_;
  std::vector<std::vector<int>> uses_;
};

}  // namespace

std::string node_title(const pb::NodeProto& node, std::int64_t index) {
  return node.name().empty() ? fmt::format("node {}", index) : "node " + quoted(node.name());
}

NodeOrder node_order(Scope& frame) { return Sorter(frame).run(); }

}  // namespace onnxc::reader

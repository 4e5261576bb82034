// Orders the nodes of a training step: updates early.
#include "compiler/schedule/schedule.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace onnxc {
namespace {

class UpdateOrder {
 public:
  explicit UpdateOrder(TrainingEntry& entry) : entry_(entry), graph_(entry.graph) {}

  void run() {
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) position_[graph_.nodes[i].get()] = i;
    find_updates();
    if (sinks_.empty()) return;
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i)
      if (!updates_only_.count(graph_.nodes[i].get())) place(i);
    for (const Sink& sink : sinks_) {
      for (std::size_t i : sink.readers) place(i);
      for (std::size_t i : sink.sources) place(i);
      place(sink.node);
    }
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) place(i);
    std::vector<std::unique_ptr<Node>> nodes;
    for (std::size_t i : order_) nodes.push_back(std::move(graph_.nodes[i]));
    graph_.nodes = std::move(nodes);
  }

 private:
  // A node that makes new values of variables, by its position, and the nodes for updates that come
  // before it: readers of the old values with those that they depend on, then those that it depends
  // on itself, so that its gradient is in memory for a short time only.
  struct Sink {
    std::size_t node = 0;
    std::set<std::size_t> readers, sources;
    std::size_t size = 0;  // number of both
  };

  // A node whose results are used for nothing but updates.
  bool only_updates(const Node& node) const {
    for (const Value* v : node.outputs) {
      if (!v) continue;
      for (const Use& use : v->users()) {
        const bool update = !use.node && use.graph == &graph_ && use.index >= entry_.free_outputs();
        if (!update && !updates_only_.count(outermost(use.node))) return false;
      }
    }
    return true;
  }

  void find_updates() {
    for (std::size_t i = graph_.nodes.size(); i-- > 0;)
      if (only_updates(*graph_.nodes[i])) updates_only_.insert(graph_.nodes[i].get());
    std::unordered_map<const Node*, std::vector<int>> variables;
    for (std::size_t i = 0; i < entry_.updates.size(); ++i) {
      const Node* maker = graph_.outputs[entry_.free_outputs() + i]->producer;
      if (maker && updates_only_.count(maker)) variables[maker].push_back(entry_.updates[i]);
    }
    for (const auto& [node, list] : variables) sinks_.push_back(sink_of(node, list));
    // Backward, a layer needs the gradients of all layers after it.
    std::sort(sinks_.begin(), sinks_.end(), [](const Sink& a, const Sink& b) {
      return std::pair(a.size, a.node) < std::pair(b.size, b.node);
    });
  }

  Sink sink_of(const Node* node, const std::vector<int>& variables) const {
    Sink sink{position_.at(node), {}, {}};
    add_sources(node, sink.sources);
    for (const auto& v : graph_.values)
      if (std::find(variables.begin(), variables.end(), v->state) != variables.end())
        add_readers(*v, sink);
    std::set<std::size_t> all = sink.sources;
    all.insert(sink.readers.begin(), sink.readers.end());
    sink.size = all.size();
    return sink;
  }

  // The nodes for updates that read the old value, also through views of another shape, which are
  // the same memory, and a copy would be alive together with the new value.
  void add_readers(const Value& v, Sink& sink) const {
    for (const Use& use : v.users()) {
      const Node* reader = outermost(use.node);
      if (!reader || position_.at(reader) == sink.node || !updates_only_.count(reader)) continue;
      std::set<std::size_t> sources = {position_.at(reader)};
      add_sources(reader, sources);
      // A reader of both the old and the new value comes later.
      if (sources.count(sink.node)) continue;
      sink.readers.merge(sources);
      if (reader->op->moves_elements && reader->op->moves_elements(*reader))
        for (const Value* moved : reader->outputs)
          if (moved) add_readers(*moved, sink);
    }
  }

  // The nodes for updates that a node depends on.
  void add_sources(const Node* node, std::set<std::size_t>& sources) const {
    std::vector<const Node*> open = {node};
    while (!open.empty()) {
      const Node* at = open.back();
      open.pop_back();
      for (const Value* v : operands_of(*at))
        if (v->producer && updates_only_.count(v->producer) &&
            sources.insert(position_.at(v->producer)).second)
          open.push_back(v->producer);
    }
  }

  // The node of this graph that has the other one in a body.
  const Node* outermost(const Node* node) const {
    if (!node || node->graph == &graph_) return node;
    for (const auto& outer : graph_.nodes)
      if (holds(*outer, *node->graph)) return outer.get();
    return nullptr;
  }

  static bool holds(const Node& node, const Graph& wanted) {
    bool found = false;
    each_subgraph(node, [&](const Graph& body) {
      found = found || &body == &wanted;
      for (const auto& inner : body.nodes) found = found || holds(*inner, wanted);
    });
    return found;
  }

  void place(std::size_t i) {
    if (placed_.insert(i).second) order_.push_back(i);
  }

  TrainingEntry& entry_;
  Graph& graph_;
  std::unordered_map<const Node*, std::size_t> position_;
  std::unordered_set<const Node*> updates_only_;
  std::vector<Sink> sinks_;
  std::unordered_set<std::size_t> placed_;
  std::vector<std::size_t> order_;
};

}  // namespace

void order_updates(TrainingEntry& entry) { UpdateOrder(entry).run(); }

}  // namespace onnxc

// Computes cheap results of a training step twice instead of keeping them between the forward and
// the backward pass.
#include "compiler/schedule/schedule.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "compiler/ir/clone.hpp"
#include "compiler/support/checked.hpp"

namespace onnxc {
namespace {

constexpr std::size_t kMaxCopies = 1000;

// The first and the last node that needs a value, by position.
struct Live {
  std::size_t first = 0, last = 0;
  bool fixed = false;  // read by a body or the caller, or part of another value
};

class Recomputation {
 public:
  explicit Recomputation(Graph& graph) : graph_(graph) {}

  std::size_t run() {
    std::size_t copies = 0;
    while (copies < kMaxCopies && lower_peak()) ++copies;
    return copies;
  }

 private:
  // A value, and the first node after the peak that reads it.
  struct Candidate {
    Value* value = nullptr;
    std::size_t reader = 0;
    std::int64_t bytes = 0;
  };

  static std::int64_t bytes_of(const Value& v) {
    if (!v.producer || v.constant || !v.type.is_static()) return 0;
    return checked_mul(product(*v.type.shape).value(),
                       static_cast<std::int64_t>(elem_bytes(v.type.elem)));
  }

  bool lower_peak() {
    find_lives();
    const std::size_t peak = find_peak();
    Candidate best;
    for (const auto& v : graph_.values) {
      const Candidate c = candidate(*v, peak);
      if (c.bytes > best.bytes) best = c;
    }
    if (best.value) compute_again(best);
    return best.value != nullptr;
  }

  void find_lives() {
    position_.clear();
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) position_[graph_.nodes[i].get()] = i;
    lives_.clear();
    for (const auto& v : graph_.values) {
      Live& live = lives_[v.get()];
      // Passes leave values behind whose producers are gone, and readers as well.
      const auto producer = position_.find(v->producer);
      live.fixed = producer == position_.end();
      if (!live.fixed) live.first = live.last = producer->second;
      for (const Use& use : v->users()) {
        const auto reader = position_.find(use.node);
        live.fixed = live.fixed || reader == position_.end();
        live.last = std::max(live.last, live.fixed ? graph_.nodes.size() - 1 : reader->second);
      }
    }
    for (const auto& v : graph_.values)
      if (v->view_of) lives_.at(v.get()).fixed = lives_.at(v->view_of).fixed = true;
  }

  std::size_t find_peak() const {
    std::vector<std::int64_t> change(graph_.nodes.size() + 1, 0);
    for (const auto& v : graph_.values) {
      const Live& live = lives_.at(v.get());
      if (v->users().empty()) continue;
      change[live.first] += bytes_of(*v);
      change[live.last + 1] -= bytes_of(*v);
    }
    std::int64_t now = 0, most = 0;
    std::size_t peak = 0;
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i)
      if (now += change[i]; now > most) most = now, peak = i;
    return peak;
  }

  // Whether the node can be computed before the node `at` from what memory holds there.
  bool is_cheap(const Node& node, std::size_t at) const {
    const bool sweep = node.op->sweep || node.op->scalar;
    const auto results = std::count_if(node.outputs.begin(), node.outputs.end(),
                                       [](const Value* v) { return v != nullptr; });
    if (!sweep || node.op->draws || results != 1) return false;
    return std::all_of(node.inputs.begin(), node.inputs.end(), [&](const Value* v) {
      return !v || v->constant || !v->producer || lives_.at(v).last >= at;
    });
  }

  Candidate candidate(Value& v, std::size_t peak) const {
    const Live& live = lives_.at(&v);
    if (bytes_of(v) == 0 || live.fixed || live.first >= peak || live.last <= peak) return {};
    std::size_t reader = live.last;
    for (const Use& use : v.users()) {
      const std::size_t at = position_.at(use.node);
      if (at == peak) return {};
      if (at > peak) reader = std::min(reader, at);
    }
    if (!is_cheap(*v.producer, reader)) return {};
    return {&v, reader, bytes_of(v)};
  }

  void compute_again(const Candidate& c) {
    ValueMap copies;
    copy_node(*c.value->producer, graph_, copies);
    Value* const copy = copies.at(c.value);
    copy->layout = c.value->layout;
    std::vector<Use> late;
    for (const Use& use : c.value->users())
      if (position_.at(use.node) >= c.reader) late.push_back(use);
    for (const Use& use : late) const_cast<Node*>(use.node)->inputs.set(use.index, copy);
    const auto place = graph_.nodes.begin() + static_cast<std::ptrdiff_t>(c.reader);
    std::rotate(place, graph_.nodes.end() - 1, graph_.nodes.end());
  }

  Graph& graph_;
  std::unordered_map<const Node*, std::size_t> position_;
  std::unordered_map<const Value*, Live> lives_;
};

}  // namespace

std::size_t recompute(Graph& graph) { return Recomputation(graph).run(); }

}  // namespace onnxc

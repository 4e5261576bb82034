// Pipeline stages: a sequence of nodes for each device.
#include <algorithm>
#include <deque>
#include <limits>
#include <set>
#include <unordered_map>

#include "compiler/devices/sharding.hpp"
#include "compiler/ir/op.hpp"

namespace onnxc::devices {
namespace {

// Stages may have this much more work than the best division, to send less.
constexpr double kSlack = 1.05;

double work_of(const Node& node) {
  const auto macs = node.op->macs ? node.op->macs(node) : std::nullopt;
  double work = macs ? number(*macs) : 0;
  for (const Value* v : node.outputs)
    if (v) work += number(bytes_of(*v)) / 4;
  return work;
}

class Stages {
 public:
  Stages(const Graph& graph, int devices, std::optional<std::int64_t> weight_limit)
      : devices_(devices), limit_(weight_limit ? static_cast<double>(*weight_limit) : 0) {
    for (const auto& node : graph.nodes)
      if (!is_known(*node)) nodes_.push_back(node.get());
    measure();
  }

  const std::vector<Node*>& nodes() const { return nodes_; }

  // The first node of each stage, and the number of nodes; empty if the weights do not fit.
  std::vector<std::size_t> divide() {
    double low = 0, high = work_.empty() ? 0 : work_.back();
    if (bounds(high).empty()) return {};
    for (int i = 0; i < 60; ++i) {
      const double middle = (low + high) / 2;
      (bounds(middle).empty() ? low : high) = middle;
    }
    return bounds(high * kSlack);
  }

 private:
  // Sums up to each node: work; weights; bytes alive between a node and the one before it.
  void measure() {
    const std::size_t count = nodes_.size();
    std::unordered_map<const Node*, std::size_t> position;
    std::set<const Value*> seen;
    work_.assign(1, 0), weights_.assign(1, 0);
    std::vector<double> change(count + 2);
    for (std::size_t i = 0; i < count; ++i) {
      position[nodes_[i]] = i;
      double bytes = 0;
      for (const Value* v : operands_of(*nodes_[i]))
        if (v->constant && seen.insert(v).second) bytes += number(bytes_of(*v));
      work_.push_back(work_.back() + work_of(*nodes_[i]));
      weights_.push_back(weights_.back() + bytes);
    }
    std::unordered_map<const Value*, std::size_t> last;
    for (std::size_t i = 0; i < count; ++i)
      for (const Value* v : operands_of(*nodes_[i])) last[v] = i;
    for (const auto& [v, end] : last) {
      const auto begin = position.find(v->producer);
      if (!v->producer || v->constant || begin == position.end()) continue;
      change[begin->second + 1] += number(bytes_of(*v));
      change[end + 1] -= number(bytes_of(*v));
    }
    alive_.assign(count + 1, 0);
    for (std::size_t i = 1; i <= count; ++i) alive_[i] = alive_[i - 1] + change[i];
  }

  bool fits(std::size_t begin, std::size_t end, double most) const {
    return work_[end] - work_[begin] <= most &&
           (limit_ == 0 || weights_[end] - weights_[begin] <= limit_);
  }

  // Stages of at most this work that send the least: the best beginning for each end, stage by
  // stage. A stage may be empty.
  std::vector<std::size_t> bounds(double most) const {
    const std::size_t count = nodes_.size();
    constexpr double kNever = std::numeric_limits<double>::infinity();
    std::vector<double> cost(count + 1, kNever);
    cost[0] = 0;
    std::vector<std::vector<std::size_t>> from;
    for (int stage = 0; stage < devices_; ++stage) {
      std::vector<double> next(count + 1, kNever);
      from.emplace_back(count + 1);
      std::deque<std::size_t> window;  // of beginnings, the cheapest first
      for (std::size_t end = 0; end <= count; ++end) {
        const auto price = [&](std::size_t i) { return cost[i] + alive_[i]; };
        while (!window.empty() && price(window.back()) >= price(end)) window.pop_back();
        window.push_back(end);
        while (!window.empty() && !fits(window.front(), end, most)) window.pop_front();
        if (window.empty()) continue;
        next[end] = price(window.front());
        from.back()[end] = window.front();
      }
      cost = next;
    }
    if (cost[count] == kNever) return {};
    std::vector<std::size_t> list = {count};
    for (std::size_t stage = from.size(); stage-- > 0;) list.push_back(from[stage][list.back()]);
    std::reverse(list.begin(), list.end());
    return list;
  }

  int devices_;
  double limit_;  // 0: none
  std::vector<Node*> nodes_;
  std::vector<double> work_, weights_, alive_;
};

}  // namespace

bool shard_stages(Graph& graph, const DeviceConfiguration& configuration,
                  std::optional<std::int64_t> weight_limit, const CanName& can_name) {
  remove_annotations(graph, configuration.name);
  Stages stages(graph, configuration.count, weight_limit);
  const std::vector<std::size_t> bounds = stages.divide();
  if (bounds.empty()) return false;
  for (int stage = 0; stage < configuration.count; ++stage)
    for (std::size_t i = bounds[static_cast<std::size_t>(stage)];
         i < bounds[static_cast<std::size_t>(stage) + 1]; ++i) {
      Node& node = *stages.nodes()[i];
      NodeDevices devices{configuration.name, {}, stage};
      for (const Value* v : node.outputs)
        if (v && can_name(node, *v)) devices.specs.push_back({v, {{stage}}, {}});
      annotate(node, std::move(devices));
    }
  return true;
}

}  // namespace onnxc::devices

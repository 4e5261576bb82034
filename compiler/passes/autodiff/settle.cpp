// Puts what a rule added into an order that does not depend on the compiler that onnxc was built
// by.
#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string>
#include <unordered_map>

#include "compiler/passes/autodiff/autodiff.hpp"

namespace onnxc::passes {
namespace {

// The nodes and values that are new, each in the order in which results need them.
class NeededOrder {
 public:
  template <class Nodes, class Values>
  NeededOrder(const Nodes& nodes, std::size_t first_node, const Values& values,
              std::size_t first_value) {
    for (std::size_t i = first_node; i < nodes.size(); ++i) nodes_.emplace(nodes[i].get(), kOpen);
    for (std::size_t i = first_value; i < values.size(); ++i)
      values_.emplace(values[i].get(), kOpen);
  }

  void need(Value* v) {
    if (!v) return;
    if (v->producer) need(*v->producer);
    place(values_, v);
  }
  void need(Node& node) {
    const auto found = nodes_.find(&node);
    if (found == nodes_.end() || found->second != kOpen) return;
    for (Value* v : operands_of(node)) need(v);
    place(nodes_, &node);
    for (Value* v : node.outputs)
      if (v) place(values_, v);
  }

  std::size_t position(const Node* node) const { return nodes_.at(node); }
  std::size_t position(const Value* v) const { return values_.at(v); }

 private:
  static constexpr std::size_t kOpen = static_cast<std::size_t>(-1);

  template <class T>
  void place(std::unordered_map<const T*, std::size_t>& positions, const T* item) {
    const auto found = positions.find(item);
    if (found != positions.end() && found->second == kOpen) found->second = count_++;
  }

  std::unordered_map<const Node*, std::size_t> nodes_;
  std::unordered_map<const Value*, std::size_t> values_;
  std::size_t count_ = 0;
};

// The number at the end of a name of Graph::fresh_name, and where it begins.
struct Suffix {
  std::size_t begin = 0;
  int number = 0;

  explicit Suffix(const std::string& name) : begin(name.rfind('#') + 1) {
    const char* const end = name.data() + name.size();
    const auto parsed = std::from_chars(name.data() + begin, end, number);
    if (begin > 0 && (parsed.ec != std::errc() || parsed.ptr != end)) begin = 0;
  }
  bool found() const { return begin > 0; }
};

// The values keep the names that they have together; numbers of one stem rise from value to value.
void exchange_names(std::vector<std::unique_ptr<Value>>& values, std::size_t first) {
  std::map<std::string, std::set<int>> numbers;
  for (std::size_t i = first; i < values.size(); ++i)
    if (const Suffix suffix(values[i]->name); suffix.found())
      numbers[values[i]->name.substr(0, suffix.begin)].insert(suffix.number);
  for (std::size_t i = first; i < values.size(); ++i) {
    std::string& name = values[i]->name;
    const Suffix suffix(name);
    if (!suffix.found()) continue;
    const std::string stem = name.substr(0, suffix.begin);
    std::set<int>& left = numbers[stem];
    name = stem + std::to_string(left.extract(left.begin()).value());
  }
}

}  // namespace

void GraphBuilder::settle(const std::vector<Value*>& results) {
  auto& nodes = editor_.siblings();
  auto& values = editor_.graph().values;
  if (!results.empty()) {
    NeededOrder order(nodes, settled_nodes_, values, settled_values_);
    for (Value* v : results) order.need(v);
    const auto earlier = [&](const auto& a, const auto& b) {
      return order.position(a.get()) < order.position(b.get());
    };
    const auto at = [](std::size_t i) { return static_cast<std::ptrdiff_t>(i); };
    std::stable_sort(nodes.begin() + at(settled_nodes_), nodes.end(), earlier);
    std::stable_sort(values.begin() + at(settled_values_), values.end(), earlier);
    exchange_names(values, settled_values_);
  }
  settled_nodes_ = nodes.size();
  settled_values_ = values.size();
}

}  // namespace onnxc::passes

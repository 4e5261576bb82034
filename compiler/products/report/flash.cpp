// The constants of a model, for a picture of what flash holds.
#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "compiler/products/report/sections.hpp"

namespace onnxc {
namespace {

// Smaller ones are too small to see, and a page has to stay small.
constexpr std::size_t kMostWeights = 300;

struct Weight {
  std::string name;
  std::set<std::string> steps;
};

using WeightsByEntry = std::map<std::size_t, Weight>;

void add_names(const EmitContext& c, WeightsByEntry& weights) {
  const std::vector<int>& entry_of = c.weights.entry_of.at(&c.program);
  const auto weight_of = [&](BufferId id) -> Weight* {
    const int entry = entry_of[static_cast<std::size_t>(c.program.root(id).first)];
    return entry < 0 ? nullptr : &weights[static_cast<std::size_t>(entry)];
  };
  for (const Step& step : c.program.steps)
    Program::each_buffer(step, [&](BufferId id) {
      Weight* const w = weight_of(id);
      if (!w) return;
      if (w->name.empty()) w->name = c.program.at(c.program.root(id).first).name;
      w->steps.insert(step.name);
    });
}

std::int64_t bytes_of(const WeightPlan::Entry& e) {
  return static_cast<std::int64_t>(e.constant.bytes().size());
}

}  // namespace

void write_weights(JsonWriter& j, const EmitContext& c) {
  WeightsByEntry named;
  each_function(c, [&](const EmitContext& f) { add_names(f, named); });
  std::vector<std::size_t> order;
  for (const auto& [entry, weight] : named)
    if (!c.weights.entries[entry].is_text()) order.push_back(entry);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return bytes_of(c.weights.entries[a]) > bytes_of(c.weights.entries[b]);
  });
  order.resize(std::min(order.size(), kMostWeights));
  j.key("weights").begin_array();
  for (const std::size_t entry : order) {
    const Tensor& t = c.weights.entries[entry].constant;
    j.begin_object().field("name", named[entry].name);
    j.field("type", info(t.elem()).onnx_name).key("shape").begin_array();
    for (const std::int64_t d : t.dims()) j.value(d);
    j.end_array().field("bytes", bytes_of(c.weights.entries[entry])).key("steps").begin_array();
    for (const std::string& step : named[entry].steps) j.value(step);
    j.end_array().end_object();
  }
  j.end_array();
}

}  // namespace onnxc

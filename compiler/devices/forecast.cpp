// What a plan costs: traffic and weights.
#include <algorithm>
#include <map>

#include "compiler/devices/sharding.hpp"

namespace onnxc::devices {
namespace {

std::int64_t item_bytes(const Value& v) {
  return v.type.is_tensor() ? static_cast<std::int64_t>(elem_bytes(v.type.elem)) : 0;
}

// Each device of a group sends and receives its share of the sum, twice.
Dim reduced_bytes(const NodePlan& plan) {
  Dim sum = 0;
  for (const std::vector<int>& group : plan.reduce_groups()) {
    const Value& out = *plan.node->outputs[0];
    const Region part = region_of(plan.output_placement(0), *out.type.shape, group[0]);
    sum = sum + product(extents_of(part)) *
                    Dim(2 * (static_cast<std::int64_t>(group.size()) - 1) * item_bytes(out));
  }
  return sum;
}

class Weights {
 public:
  explicit Weights(int devices) : devices_(static_cast<std::size_t>(devices)) {}

  void add(const NodePlan& plan) {
    for (std::size_t i = 0; i < plan.node->inputs.size(); ++i) {
      const Value* v = plan.node->inputs[i];
      if (!v || !v->constant || v->constant->elem() == ElemType::string) continue;
      std::vector<std::int64_t>& bytes = bytes_[v];
      bytes.resize(devices_);
      for (const auto& [device, parts] : plan.parts) {
        std::int64_t& own = bytes[static_cast<std::size_t>(device)];
        const Dim part = product(extents_of(plan.input_region(i, device)));
        own = std::max(own, part.constant().value_or(0) * item_bytes(*v));
      }
    }
  }

  std::vector<std::int64_t> sums() const {
    std::vector<std::int64_t> sums(devices_);
    for (const auto& [v, bytes] : bytes_)
      for (std::size_t d = 0; d < devices_; ++d) sums[d] += bytes[d];
    return sums;
  }

 private:
  std::size_t devices_;
  std::map<const Value*, std::vector<std::int64_t>> bytes_;
};

}  // namespace

double number(const Dim& d) {
  const Dim fixed = d.substitute([](const std::string&) { return Dim(kOpenSize); });
  return static_cast<double>(fixed.constant().value_or(0));
}

Dim bytes_of(const Value& v) {
  if (!has_known_axes(v)) return 0;
  return product(*v.type.shape) * Dim(item_bytes(v));
}

Forecast forecast(const Plan& plan) {
  Forecast f;
  Weights weights(plan.devices);
  for (const Action& action : plan.actions) {
    if (const auto* transfer = std::get_if<Transfer>(&action)) {
      const Dim elements = elements_of(messages_of(*transfer, plan.devices));
      f.bytes_sent = f.bytes_sent + elements * Dim(item_bytes(*transfer->value));
    } else {
      const NodePlan& node = *std::get<Work>(action).plan;
      f.bytes_sent = f.bytes_sent + reduced_bytes(node);
      weights.add(node);
    }
  }
  f.weight_bytes = weights.sums();
  return f;
}

}  // namespace onnxc::devices

// Estimates the size of the code, for those who have no compiler for their target at hand.
#include "compiler/emit/costs.hpp"

#include <set>

namespace onnxc {
namespace {

// Bytes of an instance of a kernel, from measurements of convolutional models with -O2: more lanes
// mean larger tiles, and code for what is left over.
std::int64_t instance_bytes(const Target& target) {
  if (target.vector_floats == 1) return 850;
  return target.vector_floats <= 4 ? 1700 : 4500;
}

std::string shape_text(const Step& step) {
  std::string text = step.kernel;
  for (const std::string& t : step.template_args) text += "," + t;
  for (const Param& p : step.params) {
    text += "|" + p.name;
    if (const auto* d = std::get_if<Dim>(&p.value)) text += d->to_string();
    if (const auto* list = std::get_if<std::vector<Dim>>(&p.value))
      for (const Dim& d : *list) text += "," + d.to_string();
  }
  return text;
}

}  // namespace

Costs estimate_costs(const Program& program, const Target& target, bool small) {
  constexpr std::int64_t kCall = 32, kFrame = 300;
  std::set<std::string> instances;
  Costs costs{kFrame, std::nullopt, ""};
  for (const Step& step : program.steps) {
    if (step.kind != Step::Kind::call) continue;
    costs.code_bytes += kCall;
    // One instance serves all shapes, and is larger.
    if (instances.insert(small ? step.kernel : shape_text(step)).second)
      costs.code_bytes += instance_bytes(target) * (small ? 2 : 1);
  }
  return costs;
}

}  // namespace onnxc

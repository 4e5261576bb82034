// Devices wait for each other's messages, so that their order is part of what they agree on.
#include <stdexcept>

#include "compiler/schedule/schedule.hpp"

namespace onnxc {
namespace {

std::optional<std::int64_t> constant(const Step& step, const char* name) {
  for (const Param& p : step.params)
    if (p.name == name) return std::get<Dim>(p.value).constant();
  return std::nullopt;
}

}  // namespace

void check_exchanges(const Program& program, const std::vector<Exchange>& planned) {
  std::vector<Exchange> made;
  for (const Step& step : program.steps)
    if (communicates(step))
      made.push_back({constant(step, "tag").value_or(0),
                      static_cast<int>(constant(step, "device").value_or(Exchange::kGroup))});
  if (made != planned) throw std::logic_error("messages are not in the order of the plan");
}

}  // namespace onnxc

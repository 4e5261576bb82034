// Sizes, operands and views of the buffers of a program.
#include "compiler/ir/program.hpp"

#include <algorithm>

#include "compiler/support/checked.hpp"

namespace onnxc {

Dim Program::bytes(BufferId id) const {
  const Buffer& b = at(id);
  return product(b.shape) * Dim(static_cast<std::int64_t>(storage_bytes(b.elem)));
}

const SizeSymbol* Program::symbol(const std::string& name) const {
  for (const SizeSymbol& s : symbols)
    if (s.name == name) return &s;
  return nullptr;
}

std::optional<std::int64_t> Program::at_most(const Dim& d) const {
  const auto largest = [this](const std::string& name) -> std::optional<std::int64_t> {
    const SizeSymbol* s = symbol(name);
    if (!s) return std::nullopt;
    return s->range.high || !s->range.at_most ? s->range.high : at_most(*s->range.at_most);
  };
  const auto smallest = [this](const std::string& name) -> std::optional<std::int64_t> {
    const SizeSymbol* s = symbol(name);
    return s ? s->range.low : 0;
  };
  return d.at_most(largest, smallest);
}

std::optional<std::int64_t> Program::capacity(BufferId id) const { return at_most(bytes(id)); }

bool Program::uses_heap() const {
  for (const Buffer& b : buffers)
    if (b.kind == Buffer::Kind::heap || b.kind == Buffer::Kind::object ||
        b.absent == Buffer::Absent::heap)
      return true;
  for (const Step& step : steps)
    for (const Arg& arg : step.args)
      if (std::holds_alternative<HeapArg>(arg.value)) return true;
  return false;
}

bool communicates(const Step& step) {
  return std::any_of(step.args.begin(), step.args.end(),
                     [](const Arg& arg) { return std::holds_alternative<DevicesArg>(arg.value); });
}

bool Program::communicates() const {
  return std::any_of(steps.begin(), steps.end(),
                     [](const Step& step) { return onnxc::communicates(step); });
}

bool is_probe(const Step& step) {
  return std::any_of(step.args.begin(), step.args.end(),
                     [](const Arg& arg) { return std::holds_alternative<ProbeArg>(arg.value); });
}

bool Program::has_probes() const { return std::any_of(steps.begin(), steps.end(), is_probe); }

std::pair<BufferId, Dim> Program::root(BufferId id) const {
  Dim offset = 0;
  while (at(id).view_of >= 0) {
    offset = offset + at(id).view_offset;
    id = at(id).view_of;
  }
  return {id, offset};
}

Shape stored_shape(const Shape& logical, Layout layout) {
  if (layout == Layout::plain || logical.size() < 3) return logical;
  Shape s = {logical[0]};
  s.insert(s.end(), logical.begin() + 2, logical.end());
  s.push_back(logical[1]);
  return s;
}

}  // namespace onnxc

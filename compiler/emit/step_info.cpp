// Multiply-accumulates and memory traffic of the steps of a program.
#include "compiler/emit/step_info.hpp"

#include <set>

#include "compiler/ir/nesting.hpp"
#include "compiler/support/checked.hpp"

namespace onnxc {
namespace {

std::int64_t constant_bytes(const Buffer& b) {
  return b.kind == Buffer::Kind::constant ? static_cast<std::int64_t>(b.constant.bytes().size())
                                          : 0;
}

Dim moved_bytes(const Program& program, BufferId id) {
  const Buffer& b = program.at(id);
  if (b.kind == Buffer::Kind::constant) return constant_bytes(b);
  return b.kind == Buffer::Kind::object ? Dim(0) : program.bytes(id);
}

StepInfo describe_step(const Program& program, const Step& step) {
  if (step.kind != Step::Kind::call) return {};
  StepInfo info{step.name, step.title, step.shape_note, step.macs, program.at_most(step.macs)};
  info.group = step.group;
  std::set<BufferId> seen;
  Program::each_buffer(step, [&](BufferId id) {
    if (!seen.insert(id).second) return;
    info.bytes = sum_of(info.bytes, moved_bytes(program, id));
    info.weight_bytes += constant_bytes(program.at(id));
    const ElemType elem = program.at(id).elem;
    info.on_int8 |= !step.macs.is(0) && (elem == ElemType::int8 || elem == ElemType::uint8);
  });
  return info;
}

}  // namespace

std::vector<StepInfo> describe_steps(const Program& program) {
  std::vector<StepInfo> list;
  for (const Step& step : program.steps) list.push_back(describe_step(program, step));
  return list;
}

void write_dim(JsonWriter& json, const Dim& d) {
  if (d.is_const())
    json.value(d.value());
  else
    json.value(std::string_view(d.to_string()));
}

void write_macs(JsonWriter& json, const Dim& macs, const std::optional<std::int64_t>& at_most) {
  write_dim(json.key("macs"), macs);
  if (!macs.is_const() && at_most) json.field("most_macs", *at_most);
}

Dim total_macs(const Program& program) {
  const std::vector<Dim> times = executions(program);
  Dim macs = 0;
  for (std::size_t i = 0; i < program.steps.size(); ++i)
    macs = sum_of(macs, product_of(program.steps[i].macs, times[i]));
  return macs;
}

}  // namespace onnxc

// Builds a kernel call argument by argument.
#include "compiler/ops/call.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "compiler/ops/lower.hpp"

namespace onnxc::ops {

Step& Call::step() { return lower_->program_->steps[step_]; }

Call& Call::template_arg(const std::string& text) {
  step().template_args.push_back(text);
  return *this;
}
Call& Call::template_arg(ElemType type) { return template_arg(std::string(info(type).cpp_name)); }

Call& Call::in(std::size_t i) {
  step().args.push_back(lower_->input_arg(i));
  return *this;
}
Call& Call::out(std::size_t i) {
  step().args.push_back(lower_->output_arg(i));
  return *this;
}
Call& Call::in(std::initializer_list<std::size_t> inputs) {
  for (std::size_t i : inputs) in(i);
  return *this;
}
Call& Call::out(std::initializer_list<std::size_t> outputs) {
  for (std::size_t i : outputs) out(i);
  return *this;
}
Call& Call::read(BufferId buffer) {
  step().args.push_back({BufferArg{buffer, false}});
  return *this;
}
Call& Call::write(BufferId buffer) {
  step().args.push_back({BufferArg{buffer, true}});
  return *this;
}
Call& Call::in(std::size_t i, ElemType missing) {
  return lower_->has_input(i) ? in(i) : null(missing, false);
}
Call& Call::out(std::size_t i, ElemType missing) {
  return lower_->has_output(i) ? out(i) : null(missing, true);
}
Call& Call::null(ElemType elem, bool writes) {
  step().args.push_back({NullArg{elem, writes}});
  return *this;
}
Call& Call::begin_struct(const std::string& type) {
  step().arg_structs.push_back({type, step().args.size(), 0});
  return *this;
}
Call& Call::end_struct() {
  auto open = step().arg_structs.rbegin();
  while (open->end != 0) ++open;  // it is the innermost
  open->end = step().args.size();
  return *this;
}
Call& Call::value(const Dim& v) {
  step().args.push_back({v});
  return *this;
}
Call& Call::value(float v) {
  step().args.push_back({v});
  return *this;
}
Call& Call::extents(const Shape& reported) {
  step().args.push_back({ExtentsArg{reported}});
  return *this;
}
Call& Call::block(BufferId buffer) {
  Buffer& b = lower_->program_->at(buffer);
  if (b.kind != Buffer::Kind::arena || b.view_of >= 0)
    throw std::logic_error("only an arena buffer that is no view can grow: " + b.name);
  b.kind = Buffer::Kind::heap;
  b.allocated_by_steps = true;
  step().args.push_back({BufferArg{buffer, true, true}});
  return *this;
}
Call& Call::heap() {
  step().args.push_back({HeapArg{}});
  return *this;
}
Call& Call::devices() {
  step().args.push_back({DevicesArg{}});
  return *this;
}
Call& Call::user_function(const std::string& name) {
  step().args.push_back({UserFunctionArg{name}});
  return *this;
}
Call& Call::params(std::vector<Param> params) {
  step().params = std::move(params);
  return *this;
}
Call& Call::probe(const std::string& name, ElemType elem) {
  step().args.push_back({ProbeArg{name, elem}});
  return *this;
}
Call& Call::trees(std::shared_ptr<const DecisionTrees> trees) {
  step().args.push_back({TreesArg{std::move(trees)}});
  return *this;
}
Call& Call::epilogue() { return lambda(lower_->epilogue_lambda()); }
Call& Call::lambda(Lambda f) {
  step().args.push_back({std::move(f)});
  return *this;
}

Call& Call::may_share(std::size_t input, std::size_t output) {
  if (lower_->has_input(input) && lower_->has_output(output))
    step().may_share.emplace_back(lower_->in(input), lower_->out(output));
  return *this;
}
Call& Call::update_in_place() {
  const auto& inputs = lower_->node().inputs;
  const std::size_t own = lower_->own_input_count();
  const auto own_end = inputs.begin() + static_cast<std::ptrdiff_t>(own);
  for (std::size_t i = own; i < inputs.size(); ++i) {
    const Value* v = inputs[i];
    const bool only_epilogue_reads = std::find(inputs.begin(), own_end, v) == own_end;
    if (v && v->state >= 0 && only_epilogue_reads &&
        v->type.shape == lower_->output_value(0).type.shape)
      step().may_share.emplace_back(lower_->in(i), lower_->out(0));
  }
  return *this;
}
Call& Call::divisible() {
  step().divisible = true;
  return *this;
}
Call& Call::is_part_at(const Dim& byte_offset) {
  step().part_offset = byte_offset;
  return *this;
}
Call& Call::one_chunk_a_thread() {
  step().one_chunk_a_thread = true;
  return *this;
}
Call& Call::with_fresh_rng_stream() {
  if (lower_->program_->symbol(Program::draw_symbol))
    step().params.push_back({"draw", Dim::symbol(Program::draw_symbol)});
  return *this;
}
Param& Call::member(std::string_view name) {
  for (Param& p : step().params)
    if (p.name == name) return p;
  throw std::logic_error(fmt::format("the shape of {} has no {}", step().kernel, name));
}
Call& Call::integers(const char* param) {
  member(param).integers = true;
  return *this;
}
Call& Call::constant(const char* param) {
  member(param).constant = true;
  return *this;
}
Call& Call::macs(const Dim& count) {
  step().macs = step().macs + count;
  return *this;
}

}  // namespace onnxc::ops

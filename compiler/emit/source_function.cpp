// Prints a generated function: checks of its arguments, pointers, steps.
#include "compiler/emit/source_function.hpp"

#include <algorithm>
#include <set>

#include "compiler/emit/run_steps.hpp"
#include "compiler/emit/source_ports.hpp"
#include "compiler/emit/writer.hpp"
#include "compiler/interface/figures.hpp"
#include "compiler/interface/names.hpp"
#include "compiler/ir/kernel_declaration.hpp"
#include "compiler/schedule/schedule.hpp"

namespace onnxc {
namespace {

bool reports_extents(const Step& s) {
  return std::any_of(s.args.begin(), s.args.end(),
                     [](const Arg& a) { return std::holds_alternative<ExtentsArg>(a.value); });
}

// The most blocks of the heap that are in use at a time.
int most_blocks(const Program& p) {
  int blocks = 0, most = 0;
  for (const Step& s : p.steps) {
    if (s.kind == Step::Kind::allocate) most = std::max(most, ++blocks);
    if (s.kind == Step::Kind::release) --blocks;
  }
  return most;
}

std::string run_parameters(const EmitContext& c) {
  return fmt::format("const {0}_inputs* in, const {0}_outputs* out, void* arena", c.name);
}

}  // namespace

std::string parts_signature(const EmitContext& c) {
  return fmt::format("{0}_status {0}_run_steps({1}, uint32_t first, uint32_t last)", c.name,
                     run_parameters(c));
}

std::string function_signature(const EmitContext& c) {
  const std::string weights =
      c.weights.mode == WeightsMode::external ? ", const void* weights_" : "";
  std::string parameters;
  switch (c.kind) {
    case EmitContext::Kind::run:
      parameters = run_parameters(c);
      break;
    case EmitContext::Kind::train:
      parameters = fmt::format(
          "const {0}_train_inputs* in, const {0}_train_outputs* out, void* state, void* arena",
          c.name);
      break;
    case EmitContext::Kind::reset:
      parameters = "void* state" + weights;
      break;
    case EmitContext::Kind::init:
      parameters = "void* state, uint64_t seed, void* arena" + weights;
      break;
  }
  return fmt::format("{}_status {}({})", c.name, c.function_name(), parameters);
}

bool SourceFunction::reports() const {
  return p_.uses_heap() ||
         std::any_of(p_.steps.begin(), p_.steps.end(),
                     [](const Step& s) {
                       return is_fallible(s) || is_size_step(s) || reports_extents(s);
                     }) ||
         std::any_of(c_.outputs.begin(), c_.outputs.end(),
                     [](const Port& p) { return p.is_dynamic(); });
}

void SourceFunction::steps(CodeWriter& w) {
  const bool timed = c_.kind == EmitContext::Kind::run || c_.kind == EmitContext::Kind::train;
  if (has_hook(c_) || has_parts(c_)) return counted_steps(w);
  if (!c_.options.profile || !timed) return outlined_.write_steps(w);
  // The time of a group is that of its last layer.
  for (std::size_t i = 0; i < p_.steps.size(); ++i) {
    steps_.write(w, p_.steps[i]);
    if (p_.steps[i].kind != Step::Kind::call || goes_on(p_, i)) continue;
    steps_.finish(w);
    w.line("onnxc_profile({});", i);
  }
  steps_.finish(w);
}

// The hook is called before every step, and after the last one. It cannot end a run that has begun
// to change the state.
void SourceFunction::hook_call(CodeWriter& w, std::size_t step, const std::string& name,
                               bool final) const {
  const std::string call =
      fmt::format("cancelled(in->hook_, {}, {})", step, string_literal(name).text());
  if (final)
    w.line("{};", call);
  else
    w.line("if ({}) return {}_CANCELLED;", call, upper_case(c_.name));
}

void SourceFunction::counted_steps(CodeWriter& w) {
  const std::vector<RunStep> list = run_steps(p_);
  if (list.empty()) outlined_.write_steps(w);
  bool final = false;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (has_parts(c_)) w.open(fmt::format("if (first <= {0} && {0} < last) {{", i));
    if (has_hook(c_)) hook_call(w, i, list[i].name, final);
    outlined_.write_steps(w, list[i].begin, list[i].end);
    if (has_parts(c_)) w.close();
    final = final || list[i].changes_state;
  }
  if (!has_hook(c_)) return;
  if (has_parts(c_)) w.open(fmt::format("if (last == {}) {{", steps_macro(c_).text()));
  hook_call(w, list.size(), "end", final);
  if (has_parts(c_)) w.close();
}

void SourceFunction::weights_pointer(CodeWriter& w) const {
  const std::vector<int>& entry_of = c_.weights.entry_of.at(&p_);
  const bool used = !c_.training || std::any_of(entry_of.begin(), entry_of.end(),
                                                [](int entry) { return entry >= 0; });
  const bool member = c_.kind == EmitContext::Kind::run || c_.kind == EmitContext::Kind::train;
  if (c_.weights.mode == WeightsMode::inline_arrays) return;
  if (c_.weights.mode == WeightsMode::external && !used && !member)
    w.raw_line("static_cast<void>(weights_);");
  if (!used) return;
  if (c_.weights.mode == WeightsMode::external)
    w.line("const void* const weights = {};", member ? "in->weights_" : "weights_");
  else
    w.line("const void* const weights = {}_weights_data;", c_.name);
}

// Each has a part of the arena, or memory of its own.
void SourceFunction::memories(CodeWriter& w) const {
  std::int64_t offset = 0;
  for (const ArenaRegion& r : p_.regions) {
    if (r.bytes > 0)
      w.line("void* const memory_{0} = in->{0}_ != nullptr ? in->{0}_ : at<void>(arena, {1});",
             identifier_from(r.name), offset);
    offset += r.bytes;
  }
  if (offset == 0) w.raw_line("static_cast<void>(arena);");
}

void SourceFunction::memory_and_heap(CodeWriter& w) const {
  if (!p_.regions.empty())
    memories(w);
  else if (p_.arena_bytes > 0)
    w.raw_line("void* const memory = arena;");
  else if (c_.kind != EmitContext::Kind::reset)
    w.raw_line("static_cast<void>(arena);");
  if (!p_.uses_heap()) return;
  w.raw_line("const auto* const caller = in->allocator_;");
  w.raw_line("Heap heap(caller == nullptr ? malloc_allocator()");
  w.raw_line(
      "                            : Allocator{caller->allocate, caller->release, "
      "caller->context});");
}

// The object through which the calls divide their work.
void SourceFunction::threads(CodeWriter& w) const {
  if (!has_chunks(p_)) return;
  if (c_.options.openmp) {
    w.raw_line("Team team;");
    w.raw_line("const RunThreads threads(&team);");
  } else {
    w.raw_line("const RunThreads threads(reinterpret_cast<Team*>(in->pool_));");
  }
}

// The number of the draw, and sizes that steps define.
void SourceFunction::sizes(CodeWriter& w) {
  std::string later;
  for (const SizeSymbol& s : p_.symbols) {
    if (s.is_draw)
      w.line("[[maybe_unused]] const Extent {} = draw_number({});", names_.size(s.name),
             c_.kind == EmitContext::Kind::init ? "seed" : "state_header(state).runs");
    else if (s.input < 0 && !s.definition)
      later += (later.empty() ? "" : ", ") + names_.size(s.name);
  }
  if (!later.empty()) w.line("[[maybe_unused]] Extent {};", later);
}

// Outputs whose sizes the inputs define; the others follow once their sizes are known.
void SourceFunction::open_outputs(CodeWriter& w) const {
  std::set<BufferId> later;
  for (const Step& s : p_.steps)
    if (s.kind == Step::Kind::allocate) later.insert(s.buffer);
  for (std::size_t i = 0; i < c_.outputs.size(); ++i)
    if (c_.outputs[i].is_dynamic() && !later.count(p_.outputs[i]))
      steps_.open_output(w, c_.outputs[i]);
}

// One piece of memory for all blocks whose sizes the inputs define.
void SourceFunction::reserve_heap(CodeWriter& w) const {
  const auto bytes = heap_bytes(p_);
  const int blocks = most_blocks(p_);
  if (!bytes || blocks < 2) return;
  w.wrapped(
      {fmt::format("if (!heap.reserve({},", names_.number(*bytes)), fmt::format("{}))", blocks)},
      4);
  w.raw_line("  return report(Status::out_of_memory);");
}

std::string SourceFunction::text() {
  CodeWriter calls;
  calls.open("");
  steps(calls);
  calls.close("");
  CodeWriter w;
  const bool internal = c_.kind == EmitContext::Kind::init;
  w.open(fmt::format("{} {} {{", internal ? "static" : "extern \"C\" ONNXC_API",
                     has_parts(c_) ? parts_signature(c_) : function_signature(c_)));
  if (has_parts(c_))
    w.line("if (first > last || last > {}) return {}_BAD_ARGUMENT;", steps_macro(c_),
           upper_case(c_.name));
  write_argument_checks(w, c_, names_);
  if (reports())
    w.line("const auto report = [](Status s) {{ return static_cast<{}_status>(s); }};", c_.name);
  weights_pointer(w);
  memory_and_heap(w);
  threads(w);
  sizes(w);
  open_outputs(w);
  reserve_heap(w);
  write_pointers(w, c_, names_);
  std::string text = calls.take();
  const std::size_t first = text.find_first_not_of("\n");
  w.raw_line("");
  if (first != std::string::npos)
    w.raw(text.substr(first, text.find_last_not_of(" \n") - first + 1) + "\n");
  write_value_exports(w, c_, names_);
  if (c_.kind == EmitContext::Kind::train) w.raw_line("count_run(state);");
  w.line("return {}_OK;", upper_case(c_.name));
  w.close();
  if (has_parts(c_)) whole_run(w);
  return w.take();
}

void SourceFunction::whole_run(CodeWriter& w) const {
  w.raw_line("");
  w.open(fmt::format("extern \"C\" ONNXC_API {} {{", function_signature(c_)));
  w.line("return {}_run_steps(in, out, arena, 0, {});", c_.name, steps_macro(c_));
  w.close();
}

}  // namespace onnxc

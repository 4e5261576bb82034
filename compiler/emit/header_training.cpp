// Prints the interface of training: the state block and the functions that change it.
#include "compiler/emit/training_context.hpp"

#include <algorithm>

#include "compiler/emit/source_function.hpp"
#include "compiler/interface/names.hpp"
#include "compiler/ir/kernel_declaration.hpp"

namespace onnxc {
namespace {

using Kind = EmitContext::Kind;

// Whether a step may end the function after another one has changed the state.
bool can_fail_midway(const Program& p) {
  bool changed = false;
  for (const Step& s : p.steps) {
    const bool takes = s.kind == Step::Kind::allocate && p.at(s.buffer).kind == Buffer::Kind::heap;
    if (changed && (is_fallible(s) || takes || s.kind == Step::Kind::check)) return true;
    for (const Arg& arg : s.args) {
      const auto* b = std::get_if<BufferArg>(&arg.value);
      changed =
          changed || (b && b->writes && p.at(p.root(b->buffer).first).kind == Buffer::Kind::state);
    }
  }
  return false;
}

bool loses_state(const TrainingContext& t) {
  return std::any_of(t.functions.begin(), t.functions.end(), [](const EmitContext& c) {
    return c.kind == Kind::train && can_fail_midway(c.program);
  });
}

}  // namespace

void training_banner(CodeWriter& w, const EmitContext& run) {
  const TrainingContext& t = *run.training;
  const auto ports = [&](const char* kind, const std::vector<Port>& list) {
    for (const Port& p : list)
      w.line(" * {:<9} {:<24} {}  \"{}\"", kind, p.identifier, shape_comment(p.type.to_string()),
             comment_text(p.name));
  };
  ports("train in", t.inputs);
  ports("train out", t.outputs);
  w.line(" * state     {} bytes: {} variables and a header of {}", t.state.bytes,
         t.state.variables.size(), State::kHeaderBytes);
  w.line(" * training  {} bytes of arena", t.arena_bytes);
}

void training_constants(CodeWriter& w, const EmitContext& run) {
  const TrainingContext& t = *run.training;
  const Identifier prefix = upper_case(run.name);
  w.line("#define {}_STATE_BYTES {}u", prefix, t.state.bytes);
  w.line("#define {}_STATE_ALIGN {}u", prefix, run.program.alignment);
  w.line("#define {}_TRAIN_ARENA_BYTES {}u", prefix, t.arena_bytes);
  w.raw_line("/* Where the variables begin in the state block. */");
  for (std::size_t i = 0; i < t.variables.size(); ++i) {
    const StateVariable& v = t.state.variables[i];
    const Type type = Type::tensor(v.initial.elem(), to_shape(v.initial.dims()));
    w.line("#define {}_STATE_{} {}u  /* {} \"{}\" */", prefix, t.variables[i], v.offset,
           shape_comment(type.to_string()), comment_text(v.name));
  }
}

void training_functions(CodeWriter& w, const EmitContext& run) {
  const TrainingContext& t = *run.training;
  const Identifier prefix = upper_case(run.name);
  w.line("/* `state` is a block of {0}_STATE_BYTES bytes, aligned to {0}_STATE_ALIGN, which the",
         prefix);
  w.raw_line("   caller owns. A copy of its bytes is a saved state; a block that is no state of");
  w.line("   this model gives {}_BAD_STATE. `arena` is scratch memory of", prefix);
  w.line("   {0}_TRAIN_ARENA_BYTES bytes, aligned to {0}_ARENA_ALIGN. */", prefix);
  w.raw_line("/* Stores the initial values of the variables. */");
  for (const EmitContext& c : t.functions)
    if (c.kind == Kind::reset) w.line("ONNXC_API {};", function_signature(c));
  w.raw_line("/* The same, then what the model says about initialization. */");
  w.line("ONNXC_API {};", init_signature(run));
  w.raw_line("/* One step of training. Outputs may be null. On an error, outputs are unspecified");
  w.line("   and the state is {}. */",
         loses_state(t) ? "unchanged if the arguments are bad, else lost" : "unchanged");
  for (const EmitContext& c : t.functions)
    if (c.kind == Kind::train) w.line("ONNXC_API {};", function_signature(c));
  if (t.count(Kind::train) > 1) {
    w.raw_line("/* All of these in order. */");
    w.line("ONNXC_API {};", train_signature(run));
  }
  w.raw_line("");
}

void training_wrappers(CodeWriter& w, const EmitContext& run) {
  const TrainingContext& t = *run.training;
  const Identifier prefix = upper_case(run.name);
  w.line("using train_inputs = ::{}_train_inputs;", run.name);
  w.line("using train_outputs = ::{}_train_outputs;", run.name);
  w.line("constexpr size_t state_bytes = {}_STATE_BYTES;", prefix);
  w.line("constexpr size_t state_align = {}_STATE_ALIGN;", prefix);
  w.line("constexpr size_t train_arena_bytes = {}_TRAIN_ARENA_BYTES;", prefix);
  w.raw_line("");
  const bool external = run.weights.mode == WeightsMode::external;
  const char* const parameter = external ? ", const void* weights_" : "";
  const char* const argument = external ? ", weights_" : "";
  w.open(fmt::format("inline status reset(void* state_{}) {{", parameter));
  w.line("return ::{}_reset(state_{});", run.name, argument);
  w.close();
  w.raw_line("");
  w.open(fmt::format("inline status init(void* state_, uint64_t seed_, void* arena_{}) {{",
                     parameter));
  w.line("return ::{}_init(state_, seed_, arena_{});", run.name, argument);
  w.close();
  const auto train = [&](const Identifier& name) {
    w.raw_line("");
    w.open(
        fmt::format("inline status {}(const train_inputs& in_, const train_outputs& out_, "
                    "void* state_, void* arena_) {{",
                    name));
    w.line("return ::{}(&in_, &out_, state_, arena_);", run.name.with(name));
    w.close();
  };
  for (const EmitContext& c : t.functions)
    if (c.kind == Kind::train) train(c.function);
  if (t.count(Kind::train) > 1) train(identifier_from("train"));
  w.raw_line("");
}

}  // namespace onnxc

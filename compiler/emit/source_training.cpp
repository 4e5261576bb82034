// Prints the functions that run all initializations and all algorithms.
#include "compiler/emit/training_context.hpp"

#include "compiler/interface/names.hpp"

namespace onnxc {
namespace {

using Kind = EmitContext::Kind;

bool has_external_weights(const EmitContext& c) { return c.weights.mode == WeightsMode::external; }

// reset(), then every initialization with its own numbers.
void write_init(CodeWriter& w, const EmitContext& run) {
  const Identifier prefix = upper_case(run.name);
  const char* const weights = has_external_weights(run) ? ", weights_" : "";
  w.open(fmt::format("extern \"C\" ONNXC_API {} {{", init_signature(run)));
  if (run.training->count(Kind::init) == 0) {
    w.raw_line("static_cast<void>(seed), static_cast<void>(arena);");
    w.line("return {}_reset(state{});", run.name, weights);
    return w.close();
  }
  w.line("if (!onnxc::aligned(arena, {0}_ARENA_ALIGN)) return {0}_BAD_ARGUMENT;", prefix);
  w.line("{}_status status = {}_reset(state{});", run.name, run.name, weights);
  for (const EmitContext& c : run.training->functions)
    if (c.kind == Kind::init)
      w.line("if (status == {}_OK) status = {}(state, seed, arena{});", prefix, c.function_name(),
             weights);
  w.raw_line("return status;");
  w.close();
}

void write_train(CodeWriter& w, const EmitContext& run) {
  const Identifier prefix = upper_case(run.name);
  w.open(fmt::format("extern \"C\" ONNXC_API {} {{", train_signature(run)));
  const char* declare = "_status status = ";
  for (const EmitContext& c : run.training->functions) {
    if (c.kind != Kind::train) continue;
    if (*declare != '\0')
      w.line("{}{}{}(in, out, state, arena);", run.name, declare, c.function_name());
    else
      w.line("if (status == {}_OK) status = {}(in, out, state, arena);", prefix, c.function_name());
    declare = "";
  }
  w.raw_line("return status;");
  w.close();
}

}  // namespace

std::string init_signature(const EmitContext& run) {
  return fmt::format("{0}_status {0}_init(void* state, uint64_t seed, void* arena{1})", run.name,
                     has_external_weights(run) ? ", const void* weights_" : "");
}

std::string train_signature(const EmitContext& run) {
  return fmt::format(
      "{0}_status {0}_train(const {0}_train_inputs* in, const {0}_train_outputs* out, void* state, "
      "void* arena)",
      run.name);
}

void write_training_functions(CodeWriter& w, const EmitContext& run) {
  w.raw_line("");
  write_init(w, run);
  if (run.training->count(Kind::train) < 2) return;
  w.raw_line("");
  write_train(w, run);
}

}  // namespace onnxc

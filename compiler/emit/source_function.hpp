// One function of the generated source: run(), or one of those that train.
#pragma once

#include <string>

#include "compiler/emit/outlined_functions.hpp"
#include "compiler/emit/source_names.hpp"
#include "compiler/emit/source_steps.hpp"

namespace onnxc {

class SourceFunction {
 public:
  // `definitions` gets what the function needs at namespace level.
  SourceFunction(const EmitContext& context, SourceDefinitions& definitions)
      : c_(context),
        p_(context.program),
        names_(context, definitions.names),
        steps_(context, names_, definitions),
        outlined_(context, names_, steps_) {}

  // The definition of the function; call it once.
  std::string text();
  // The functions that it calls for functions of the model, after text().
  void write_outlined(CodeWriter& w) const { outlined_.write(w); }

 private:
  bool reports() const;
  void steps(CodeWriter& w);
  void counted_steps(CodeWriter& w);
  void hook_call(CodeWriter& w, std::size_t step, const std::string& name, bool final) const;
  void whole_run(CodeWriter& w) const;
  void weights_pointer(CodeWriter& w) const;
  void memories(CodeWriter& w) const;
  void memory_and_heap(CodeWriter& w) const;
  void threads(CodeWriter& w) const;
  void sizes(CodeWriter& w);
  void open_outputs(CodeWriter& w) const;
  void reserve_heap(CodeWriter& w) const;

  const EmitContext& c_;
  const Program& p_;
  SourceNames names_;
  SourceSteps steps_;
  OutlinedFunctions outlined_;
};

// "kws_status kws_run(const kws_inputs* in, const kws_outputs* out, void* arena)"
std::string function_signature(const EmitContext& context);

// "kws_status kws_run_steps(..., uint32_t first, uint32_t last)"
std::string parts_signature(const EmitContext& context);

}  // namespace onnxc

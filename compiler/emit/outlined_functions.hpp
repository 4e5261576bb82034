// Prints the functions that the schedule found for model-local functions, and the calls of them.
#pragma once

#include <string>
#include <vector>

#include "compiler/emit/source_names.hpp"
#include "compiler/emit/source_steps.hpp"
#include "compiler/emit/writer.hpp"

namespace onnxc {

class OutlinedFunctions {
 public:
  OutlinedFunctions(const EmitContext& context, SourceNames& names, SourceSteps& steps)
      : c_(context),
        p_(context.program),
        names_(names),
        steps_(steps),
        identifiers_(context.program.functions.size()) {}

  // All steps of the program, as the body of run().
  void write_steps(CodeWriter& w) { write_steps(w, 0, p_.steps.size()); }
  // The steps [begin, end), which are whole statements of run().
  void write_steps(CodeWriter& w, std::size_t begin, std::size_t end);
  // The definitions of the functions that the steps call.
  void write(CodeWriter& w) const;

 private:
  void write_range(CodeWriter& w, std::size_t begin, std::size_t end,
                   const std::vector<FunctionCall>& calls);
  void define(std::size_t index);
  void write_body(CodeWriter& w, const OutlinedFunction& function);
  std::vector<std::string> declare_parameters(const OutlinedFunction& function,
                                              SourceNames::Parameters& parameters) const;
  void write_call(CodeWriter& w, const FunctionCall& call) const;
  std::string inner_name(const OutlinedFunction& function, BufferId id) const;

  const EmitContext& c_;
  const Program& p_;
  SourceNames& names_;
  SourceSteps& steps_;
  std::vector<std::string> identifiers_;  // of Program::functions; empty: not defined yet
  std::vector<std::string> definitions_;
};

}  // namespace onnxc

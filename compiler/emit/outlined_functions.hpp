// C++ functions for model-local functions that are called more than once.
//
// The importer inlines every call, so that each one is optimised for its inputs. If calls of a
// function still become the same steps on other buffers, the steps are written once, as a function
// with the buffers as parameters.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/emit/source_names.hpp"
#include "compiler/emit/source_steps.hpp"
#include "compiler/emit/writer.hpp"

namespace onnxc {

class OutlinedFunctions {
 public:
  OutlinedFunctions(const EmitContext& context, SourceNames& names, SourceSteps& steps)
      : c_(context), p_(context.program), names_(names), steps_(steps) {}

  // All steps of the program, as the body of run().
  void write_steps(CodeWriter& w);
  // The definitions of the functions that the steps call.
  void write(CodeWriter& w) const;

 private:
  // Consecutive steps that come from one call.
  struct Run {
    std::size_t begin = 0, end = 0;
    std::string prefix;
  };
  struct SharedFunction {
    int runs = 0;
    std::string name;  // empty until it is defined
    bool fallible = false;
  };

  std::string call_of(const Step& step, int depth) const;
  Run run_at(std::size_t begin, std::size_t end, int depth) const;
  bool is_shareable(const Run& run) const;
  bool is_divided(const Run& run) const;
  std::vector<BufferId> buffers_of(const Run& run) const;
  std::vector<std::string> sizes_of(const Run& run) const;
  bool is_block(const Run& run, BufferId id) const;
  std::string inner_name(const Run& run, BufferId id) const;
  std::string declaration(const Run& run, BufferId id, const std::string& name) const;
  std::string abstract_text(const Run& run);
  void count(std::size_t begin, std::size_t end, int depth);
  void write_range(CodeWriter& w, std::size_t begin, std::size_t end, int depth);
  void define(SharedFunction& function, const Run& run, int depth);
  void write_call(CodeWriter& w, const SharedFunction& function, const Run& run) const;

  const EmitContext& c_;
  const Program& p_;
  SourceNames& names_;
  SourceSteps& steps_;
  std::map<std::string, int> calls_;              // number of calls of each function of the model
  std::map<std::string, SharedFunction> shared_;  // by the text with numbered parameters
  std::vector<std::string> definitions_;
};

}  // namespace onnxc

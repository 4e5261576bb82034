// A graph as text, through all passes, the lowering and the schedule.
#pragma once

#include <string>

#include "compiler/ir/parse.hpp"
#include "compiler/passes/pass.hpp"
#include "compiler/schedule/pipeline.hpp"
#include "compiler/schedule/schedule.hpp"

namespace onnxc {

// Errors of the model are in `diagnostics`. The values that its buffers point at are gone
// with the graph.
inline Program scheduled(const std::string& text, const CompileOptions& options,
                         const std::string& target_name, Diagnostics& diagnostics) {
  const auto graph = parse_graph(text);
  const Target target = make_target(target_name);
  PassContext context{options, target, diagnostics};
  run_pipeline(*graph, context);
  Program program = lower_graph(*graph, options, target, diagnostics);
  ScheduleContext schedule{options, target, diagnostics};
  run_schedule(program, schedule);
  return program;
}

}  // namespace onnxc

// fused_kernels.hpp - the kernels that a graph becomes, for tests of fusion of steps.
#pragma once

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "compiler/ir/parse.hpp"
#include "compiler/passes/pass.hpp"
#include "compiler/schedule/lower.hpp"

namespace onnxc {

// Of a graph as text, after all passes, lowering, and `fuse` on the program; in the order of steps.
template <class Fuse>
std::vector<std::string> kernels_of(const std::string& text, Fuse fuse) {
  auto graph = parse_graph(text);
  const CompileOptions options;
  const Target target = make_target("generic");
  Diagnostics diagnostics;
  PassContext context{options, target, diagnostics};
  run_pipeline(*graph, context);
  Program program = lower_graph(*graph, options, target, diagnostics);
  REQUIRE(!diagnostics.has_errors());
  fuse(program);
  std::vector<std::string> found;
  for (const Step& step : program.steps) found.push_back(step.kernel);
  return found;
}

}  // namespace onnxc

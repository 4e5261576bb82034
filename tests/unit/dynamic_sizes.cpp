// Sizes that steps determine: none may be read before.
#include "compiler/schedule/dynamic_sizes.hpp"

#include <catch2/catch.hpp>

namespace onnxc {
namespace {

Step step_of(BufferId read, const Shape& sizes) {
  Step step;
  step.name = "step";
  if (read >= 0) step.args.push_back({BufferArg{read}});
  if (!sizes.empty()) step.args.push_back({ExtentsArg{sizes}});
  return step;
}

// Whether a program of a step that defines n and one that reads a tensor of n elements is refused.
bool is_refused(bool defined_first) {
  const Graph graph;
  Program program;
  DynamicSizes sizes(graph, program);
  Buffer tensor;
  tensor.name = "x";
  tensor.shape = {Dim::symbol("n")};
  program.buffers.push_back(tensor);
  const Step defines = step_of(-1, {Dim::symbol("n")}), reads = step_of(0, {});
  program.steps.push_back(defined_first ? defines : reads);
  program.steps.push_back(defined_first ? reads : defines);
  sizes.follow(0);
  Diagnostics diagnostics;
  sizes.check_all(diagnostics);
  return diagnostics.has_errors();
}

// The kinds of the steps after one that defines n, which must be 2, and one that uses it.
std::vector<Step::Kind> kinds_with_check() {
  Graph graph;
  graph.relations.push_back({Dim::symbol("n"), Dim(2), false});
  Program program;
  DynamicSizes sizes(graph, program);
  program.steps.push_back(step_of(-1, {Dim::symbol("n")}));
  program.steps.push_back(step_of(-1, {}));
  sizes.follow(0);
  std::vector<Step::Kind> kinds;
  for (const Step& step : program.steps) kinds.push_back(step.kind);
  return kinds;
}

}  // namespace

TEST_CASE("a size is checked before a tensor of it is written", "[sizes]") {
  using Kind = Step::Kind;
  CHECK(kinds_with_check() == std::vector<Kind>{Kind::call, Kind::check, Kind::call});
}

TEST_CASE("a size is defined before it is read", "[sizes]") {
  CHECK_FALSE(is_refused(true));
  CHECK(is_refused(false));
}

}  // namespace onnxc

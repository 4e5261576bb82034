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

}  // namespace

TEST_CASE("a size is defined before it is read", "[sizes]") {
  CHECK_FALSE(is_refused(true));
  CHECK(is_refused(false));
}

}  // namespace onnxc

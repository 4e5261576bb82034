// recompute: what is computed twice so that less memory is needed at the peak.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "compiler/ir/parse.hpp"
#include "compiler/ir/verify.hpp"
#include "compiler/passes/pass.hpp"
#include "compiler/schedule/schedule.hpp"

namespace onnxc {
namespace {

struct Recomputed {
  std::size_t copies = 0;
  std::vector<std::string> operators;  // in the order of nodes
};

// Of %x: f32[4], with most memory in use at a Softmax of 64 elements.
Recomputed recomputed(const std::string& before, const std::string& after,
                      const std::string& results = "%y") {
  const auto graph = parse_graph(
      "graph \"g\" (%x: f32[4], %z: f32[64], %w: f32[4,4]) -> (" + results + ") {\n" +
      "  const %axes = dense<i64[1]: 0>\n" + before +
      "  %b = Exp(%z)\n  %c = Softmax(%b) {axis=0}\n  %d = ReduceSum(%c, %axes)\n" + after + "}\n");
  const CompileOptions options;
  const Target target = make_target("generic");
  Diagnostics diagnostics;
  PassContext context{options, target, diagnostics};
  passes::infer_shapes(*graph, context);
  REQUIRE(!diagnostics.has_errors());
  Recomputed r;
  r.copies = recompute(*graph);
  CHECK(verify(*graph, false).empty());
  for (const auto& node : graph->nodes) r.operators.emplace_back(node->op->name);
  return r;
}

std::size_t copies(const std::string& before, const std::string& after,
                   const std::string& results = "%y") {
  return recomputed(before, after, results).copies;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("what is cheap is computed again after the peak, before its first late reader",
          "[recompute]") {
  const Recomputed r = recomputed("  %a = Sin(%x)\n  %e = Neg(%a)\n",
                                  "  %f = Mul(%d, %a)\n  %g = Add(%f, %e)\n"
                                  "  %y = Sub(%g, %a)\n");
  CHECK(r.copies == 1);
  CHECK(r.operators ==
        Names{"Sin", "Neg", "Exp", "Softmax", "ReduceSum", "Sin", "Mul", "Add", "Sub"});
}

TEST_CASE("what is not cheap, or is needed at the peak, stays", "[recompute]") {
  const char* late = "  %y = Mul(%d, %a)\n";
  CHECK(copies("  %a = Sin(%x)\n", late) == 1);
  CHECK(copies("  %a = MatMul(%w, %x)\n", late) == 0);
  CHECK(copies("  %a = RandomNormalLike(%x)\n", late) == 0);
  // Its operand would have to stay instead.
  CHECK(copies("  %t = MatMul(%w, %x)\n  %a = Sin(%t)\n", late) == 0);
  CHECK(copies("  %t = Softmax(%x)\n  %a = Sin(%t)\n",
               "  %s = Mul(%d, %a)\n  %y = Add(%s, %t)\n") == 1);
  // It is a result.
  CHECK(copies("  %a = Sin(%x)\n", late, "%y, %a") == 0);
  // Nobody reads it after the peak.
  CHECK(copies("  %a = Sin(%x)\n  %e = Neg(%a)\n", "  %y = Neg(%d)\n", "%y, %e") == 0);
}

}  // namespace onnxc

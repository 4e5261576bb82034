// RegexFullMatch: whether whole strings match a regular expression.
#include "compiler/kernels/text_calls.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/ops/text/regex.hpp"

namespace onnxc::ops::regex_full_match {
namespace {

RegexProgram program_of(const NodeView& n) {
  try {
    return compile_regex(n.attr_string("pattern"));
  } catch (const RegexError& e) {
    if (e.unsupported) n.unsupported("attribute \"pattern\"", e.what());
    n.fail("attribute \"pattern\"", e.what());
  }
}

void infer(Infer& n) {
  program_of(n);
  n.output(0, ElemType::boolean, n.input(0).shape);
}

void lower(Lower& n) {
  const RegexProgram program = program_of(n);
  const auto words = static_cast<std::int64_t>(program.words.size());
  const BufferId constant =
      n.constant(Tensor::of<std::int32_t>(ElemType::int32, {words}, program.words), "pattern");
  Call call =
      n.call("regex_full_match", RegexFullMatchShape<Dim>{product(n.shape(0)), program.steps});
  call.in(0).read(constant).out(0).write(n.scratch(ElemType::int64, 4 * program.steps, "threads"));
}

constexpr Op rows[] = {{
    .name = "RegexFullMatch",
    .versions = "20",
    .inputs = "X:T1",
    .outputs = "Y:T2",
    .types = "T1: string; T2: bool",
    .attributes = "pattern:string!",
    .limits = "patterns with \\C or with scripts of Unicode (\\p{Greek})",
    .infer = infer,
    .lower = lower,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::regex_full_match

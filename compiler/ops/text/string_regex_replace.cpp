// StringRegexReplace: replaces what a regular expression matches.
#include "compiler/kernels/text_calls.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/ops/text/extension.hpp"
#include "compiler/ops/text/regex.hpp"
#include "templates/text/regex_find.hpp"

namespace onnxc::ops::string_regex_replace {
namespace {

std::string text_of(const NodeView& n, std::size_t input, const std::string& field) {
  const Tensor* constant = n.constant(input);
  if (!constant) n.unsupported(field, "a value that is known only at run time");
  n.require(constant->strings().size() == 1, field, "has {} strings, not one",
            constant->strings().size());
  return constant->strings()[0];
}

RegexProgram program_of(const NodeView& n) {
  const std::string field = "input 1 \"pattern\"";
  const std::string pattern = text_of(n, 1, field);
  n.require(!pattern.empty(), field, "is empty");
  try {
    return compile_regex(pattern);
  } catch (const RegexError& e) {
    if (e.unsupported) n.unsupported(field, e.what());
    n.fail(field, e.what());
  }
}

// What is between references to the whole match.
std::vector<std::string> parts_of(const NodeView& n) {
  const std::string field = "input 2 \"rewrite\"";
  const std::string rewrite = text_of(n, 2, field);
  std::vector<std::string> parts(1);
  for (std::size_t i = 0; i < rewrite.size(); ++i) {
    if (rewrite[i] != '\\') {
      parts.back() += rewrite[i];
      continue;
    }
    const char c = ++i < rewrite.size() ? rewrite[i] : '\0';
    if (c >= '1' && c <= '9') n.unsupported(field, fmt::format("\\{}, a group of the match", c));
    n.require(c == '0' || c == '\\', field, "has a backslash before neither digit nor backslash");
    if (c == '0')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

void infer(Infer& n) {
  program_of(n);
  parts_of(n);
  infer_like_first(n);
}

void lower(Lower& n) {
  const RegexProgram program = program_of(n);
  std::vector<std::string> parts = parts_of(n);
  const auto words = static_cast<std::int64_t>(program.words.size());
  const auto count = static_cast<std::int64_t>(parts.size());
  n.call("regex_replace", RegexReplaceShape<Dim>{product(n.shape(0)), program.steps, count,
                                                 n.attr_int("global_replace") != 0})
      .in(0)
      .read(
          n.constant(Tensor::of<std::int32_t>(ElemType::int32, {words}, program.words), "pattern"))
      .read(n.constant(Tensor({count}, std::move(parts)), "rewrite"))
      .out(0)
      .write(n.scratch(ElemType::int64, regex_find_scratch(program.steps), "threads"))
      .heap();
}

constexpr Op rows[] = {extension({
    .name = "StringRegexReplace",
    .inputs = "X:string pattern:string rewrite:string",
    .outputs = "Y:string",
    .attributes = "global_replace:int=1",
    .limits = "groups of the match in the replacement (\\1); patterns and replacements that are "
              "known only at run time; scripts of Unicode (\\p{Greek})",
    .infer = infer,
    .lower = lower,
})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::string_regex_replace

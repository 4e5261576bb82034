// Tokenizer of ONNX Runtime: characters of strings, what a regular expression matches, or what is
// between the matches of several.
#include <algorithm>

#include "compiler/kernels/text_calls.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/ops/text/regex.hpp"
#include "templates/text/split_tokens.hpp"

namespace onnxc::ops::split_tokens {
namespace {

constexpr const char* kSeparators = "attribute \"separators\"";
constexpr const char* kExpression = "attribute \"tokenexp\"";

// The expressions, whether they match tokens or separators, and their programs.
struct Patterns {
  bool characters = false, matched = false;
  std::int32_t steps = 0;  // of the largest program
  std::vector<RegexProgram> programs;
};

void add(const NodeView& n, const std::string& field, const std::string& pattern, Patterns& p) {
  n.require(!pattern.empty(), field, "has an empty string");
  try {
    p.programs.push_back(compile_regex(pattern));
  } catch (const RegexError& e) {
    if (e.unsupported) n.unsupported(field, e.what());
    n.fail(field, e.what());
  }
  p.steps = std::max(p.steps, p.programs.back().steps);
}

Patterns read(const NodeView& n) {
  n.require(n.attr_int("mincharnum") >= 1, "attribute \"mincharnum\"", "{} is not positive",
            n.attr_int("mincharnum"));
  Patterns p;
  const auto* separators = std::get_if<std::vector<std::string>>(n.node().find("separators"));
  if (!separators) {
    n.require(n.has_attr("tokenexp"), kSeparators, "or {} is required", kExpression);
    p.characters = n.attr_string("tokenexp") == ".";
    p.matched = !p.characters;
    if (p.matched) add(n, kExpression, n.attr_string("tokenexp"), p);
    return p;
  }
  n.require(!separators->empty(), kSeparators, "is empty");
  p.characters = separators->size() == 1 && separators->front().empty();
  for (const std::string& separator : *separators)
    if (!p.characters) add(n, kSeparators, separator, p);
  return p;
}

// Where each program begins, then the programs.
Tensor words_of(const Patterns& p) {
  std::vector<std::int32_t> words(std::max<std::size_t>(p.programs.size(), 1));
  for (std::size_t i = 0; i < p.programs.size(); ++i) {
    words[i] = static_cast<std::int32_t>(words.size());
    words.insert(words.end(), p.programs[i].words.begin(), p.programs[i].words.end());
  }
  const auto count = static_cast<std::int64_t>(words.size());
  return Tensor::of<std::int32_t>(ElemType::int32, {count}, words);
}

void infer(Infer& n) {
  read(n);
  if (!n.has_rank(0)) return n.output(0, ElemType::string, std::nullopt);
  Shape out = n.shape(0);
  n.require(out.size() == 1 || out.size() == 2, "input 0 \"X\"", "rank {}, needs 1 or 2",
            out.size());
  out.push_back(n.unknown_extent());
  n.output(0, ElemType::string, out);
}

void lower(Lower& n) {
  const Patterns p = read(n);
  const auto programs = static_cast<std::int64_t>(p.programs.size());
  const Dim width = n.out_shape(0).back();
  const bool mark = n.attr_int("mark") != 0;
  const BufferId words = n.constant(words_of(p), "patterns");
  const BufferId texts =
      n.constant(Tensor({3}, {"\x02", "\x03", n.attr_string("pad_value")}), "marks");
  const BufferId work =
      n.scratch(ElemType::int64, split_tokens_scratch<std::int64_t>(p.steps, programs), "threads");
  const Dim count = product(n.shape(0)), least = n.attr_int("mincharnum");
  n.call("split_tokens_extents", SplitTokensExtentsShape<Dim>{count, programs, p.steps, least,
                                                              p.characters, p.matched, mark})
      .in(0)
      .read(words)
      .write(work)
      .extents({width});
  n.call("split_tokens", SplitTokensShape<Dim>{count, programs, p.steps, least, width, p.characters,
                                               p.matched, mark})
      .in(0)
      .read(words)
      .read(texts)
      .out(0)
      .write(work);
}

constexpr Op rows[] = {contrib({
    .name = "Tokenizer",
    .inputs = "X:string",
    .outputs = "Y:string",
    .attributes = "mark:int! mincharnum:int! pad_value:string! separators:strings tokenexp:string",
    .limits = "patterns with \\C or with scripts of Unicode (\\p{Greek})",
    .infer = infer,
    .lower = lower,
})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::split_tokens

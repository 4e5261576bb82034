// GPT2Tokenizer, RobertaTokenizer: byte pair encoding over bytes.
#include <charconv>

#include "compiler/kernels/text_calls.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/ops/text/extension.hpp"
#include "compiler/ops/text/regex.hpp"
#include "compiler/ops/text/token_model.hpp"
#include "compiler/ops/text/vocabulary_constants.hpp"
#include "compiler/ops/text/vocabulary_lines.hpp"
#include "templates/text/regex_find.hpp"

namespace onnxc::ops::gpt2_tokenizer {
namespace {

// The special words of a tokenizer; begin and end "": none around a text.
struct Special {
  std::string_view unknown, begin, end, padding;
};
constexpr Special kGpt2 = {"<|endoftext|>", "", "", "<|endoftext|>"};
constexpr Special kRoberta = {"<unk>", "<s>", "</s>", "<pad>"};

struct Model {
  Vocabulary special;
  TokenModel tokens;
  std::int64_t begin = -1, end = -1, padding = 0;
};

// word=number in each line.
Vocabulary added_tokens(const NodeView& n) {
  Vocabulary out;
  if (!n.has_attr("added_token")) return out;
  const std::string field = "attribute \"added_token\"";
  for (const std::string& line : lines_of(n.attr_string("added_token"))) {
    const std::size_t at = line.rfind('=');
    std::int32_t number = -1;
    if (at != std::string::npos)
      std::from_chars(line.data() + at + 1, line.data() + line.size(), number);
    n.require(at != std::string::npos && at > 0 && number >= 0, field, "{} is no word=number",
              quoted(line));
    out.emplace_back(line.substr(0, at), number);
  }
  return out;
}

void add_rules(const NodeView& n, const PieceNumbers& numbers, TokenModel& m) {
  const std::string field = "attribute \"merges\"";
  bool first = true;
  for (const std::string& line : lines_of(n.attr_string("merges"))) {
    if (line[0] == '#' && first) continue;
    first = false;
    const std::size_t at = line.find(' ');
    n.require(at != std::string::npos, field, "{} is no pair", quoted(line));
    m.add_rule(line.substr(0, at), line.substr(at + 1), numbers, [&](const std::string& piece) {
      n.require(false, field, "{} of {} is not in the vocabulary", quoted(piece), quoted(line));
    });
  }
  n.require(!m.rules.empty(), field, "is empty");
}

Model model_of(const NodeView& n, const Special& names) {
  const Vocabulary vocabulary = vocabulary_of_json(n, "vocab");
  PieceNumbers ids(vocabulary.begin(), vocabulary.end());
  auto next = static_cast<std::int32_t>(vocabulary.size());
  const auto number = [&](std::string_view name) -> std::int64_t {
    const auto [found, added] = ids.emplace(std::string(name), next);
    if (added) ++next;
    return found->second;
  };
  Model m;
  m.tokens.set_byte_pieces(ids);
  for (std::size_t i = 0; i < m.tokens.bytes.size(); ++i)
    n.require(m.tokens.bytes[i] >= 0, "attribute \"vocab\"", "lacks {}, which stands for byte {}",
              quoted(byte_alphabet()[i]), i);
  for (std::string_view name : {names.unknown, names.begin, names.end, names.padding})
    if (!name.empty()) m.special.emplace_back(name, static_cast<std::int32_t>(number(name)));
  if (!names.begin.empty()) m.begin = number(names.begin);
  if (!names.end.empty()) m.end = number(names.end);
  m.padding = number(names.padding);
  for (auto& token : added_tokens(n)) m.special.push_back(std::move(token));
  add_rules(n, ids, m.tokens);
  return m;
}

void infer(Infer& n, const Special& names) {
  model_of(n, names);
  const std::int64_t padded = n.attr_int("padding_length");
  n.require(padded == -1 || padded > 0, "attribute \"padding_length\"",
            "{} is neither -1 nor above 0", padded);
  if (n.has_output(2)) n.unsupported("output 2 \"offset_mapping\"", "is not computed");
  if (!n.has_rank(0)) {
    for (std::size_t i : {0, 1}) n.output(i, ElemType::int64, std::nullopt);
    return;
  }
  Shape out = n.shape(0);
  out.push_back(padded > 0 ? Dim(padded) : n.unknown_extent());
  for (std::size_t i : {0, 1}) n.output(i, ElemType::int64, out);
}

void lower(Lower& n, const Special& names) {
  const Model m = model_of(n, names);
  const RegexProgram program = compile_regex(kGpt2Words, RegexSyntax::oniguruma);
  const Dim width = n.out_shape(n.has_output(0) ? 0 : 1).back();
  const BytePairTokensShape<Dim> shape{product(n.shape(0)),
                                       width,
                                       program.steps,
                                       n.attr_int("padding_length"),
                                       m.begin,
                                       m.end,
                                       m.padding};
  const BufferId work = n.scratch(ElemType::int64, regex_find_scratch(program.steps), "threads");
  const PairRuleTables rules = m.tokens.rule_tables();
  const auto add = [&](Call call) {
    add_tree(n, call.in(0), prefix_tree(m.special));
    call.read(integers(n, program.words, "pattern")).begin_struct("PairModel");
    add_tree(n, call, prefix_tree(m.tokens.words));
    call.begin_struct("PairRules").read(integers(n, rules.begin, "firsts"));
    call.read(integers(n, rules.rules, "rules")).end_struct();
    return call.read(integers(n, m.tokens.bytes, "alphabet")).end_struct().write(work);
  };
  if (!width.is_const()) add(n.call("byte_pair_tokens_extents", shape)).heap().extents({width});
  add(n.call("byte_pair_tokens", shape)).out({0, 1}).heap();
}

template <const Special& Names>
constexpr Op row(std::string_view name) {
  return extension({.name = name,
                    .inputs = "text:string",
                    .outputs = "input_ids:int64 attention_mask:int64? offset_mapping:int64?",
                    .attributes = "vocab:string! merges:string! padding_length:int=-1 "
                                  "added_token:string model_name:string",
                    .limits = "the output offset_mapping; merges of pieces that the vocabulary "
                              "lacks",
                    .infer = [](Infer& n) { infer(n, Names); },
                    .lower = [](Lower& n) { lower(n, Names); }});
}

constexpr Op rows[] = {row<kGpt2>("GPT2Tokenizer"), row<kRoberta>("RobertaTokenizer")};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::gpt2_tokenizer

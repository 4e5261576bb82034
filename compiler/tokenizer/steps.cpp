// Normalizers and pre-tokenizers of tokenizer.json as steps.
#include "compiler/tokenizer/steps.hpp"

#include "compiler/tokenizer/precompiled_map.hpp"

namespace onnxc::ops {
namespace {

using Kind = TextStep::Kind;

// Generated code nests as deep as there are steps.
void check_steps(const TokenizerField& field, const Tokenizer& t) {
  constexpr std::size_t kMaxSteps = 100;
  if (t.steps.size() >= kMaxSteps) field.fail("is one step too many");
}

TextStep& add(Tokenizer& t, Kind kind) {
  t.steps.emplace_back();
  t.steps.back().kind = kind;
  return t.steps.back();
}

RegexProgram program_of(const TokenizerField& field, const std::string& pattern) {
  try {
    return compile_regex(pattern, RegexSyntax::oniguruma);
  } catch (const RegexError& e) {
    field.fail(std::string("the pattern ") + e.what());
  }
}

// A pattern that matches a string as it is.
std::string literal(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (std::string_view("\\^$.|?*+()[]{}-&").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

// {"String": text} or {"Regex": pattern}.
std::string pattern_of(const TokenizerField& field) {
  if (field["String"].given()) return literal(field["String"].text());
  return field["Regex"].text();
}

void add_split(Tokenizer& t, const TokenizerField& field, const std::string& pattern,
               std::string_view behavior, bool inverted = false) {
  TextStep& step = add(t, Kind::split);
  step.program = program_of(field, pattern);
  step.behavior = behavior;
  step.inverted = inverted;
}

std::string_view behavior_of(const TokenizerField& field) {
  static constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"Removed", "removed"},
      {"Isolated", "isolated"},
      {"Contiguous", "contiguous"},
      {"MergedWithPrevious", "merged_with_previous"},
      {"MergedWithNext", "merged_with_next"}};
  const std::string name = field.text();
  for (const auto& [known, behavior] : kNames)
    if (known == name) return behavior;
  field.fail("\"" + name + "\" is not known");
}

[[noreturn]] void unsupported(const TokenizerField& type) {
  type.fail("\"" + type.text() + "\" is not supported");
}

// ---- normalizers ----------------------------------------------------------------------------

void add_without_accents(Tokenizer& t) { add(t, Kind::without).set = set_of_categories({"Mn"}); }

void add_bert(const TokenizerField& field, Tokenizer& t) {
  const bool lower = field["lowercase"].flag_or(true);
  if (field["clean_text"].flag_or(true)) add(t, Kind::clean).set = bert_control();
  if (field["handle_chinese_chars"].flag_or(true)) add(t, Kind::separated);
  if (field["strip_accents"].flag_or(lower)) {
    add(t, Kind::normal_form).form = NormalForm::nfd;
    add_without_accents(t);
  }
  if (lower) add(t, Kind::small_letters);
}

void add_replace(const TokenizerField& field, Tokenizer& t) {
  const TokenizerField pattern = field["pattern"];
  TextStep step;
  step.kind = Kind::replace;
  step.to = field["content"].text();
  if (pattern["String"].given())
    step.from = pattern["String"].text();
  else
    step.program = program_of(pattern, pattern["Regex"].text());
  if (step.from.empty() && step.program.steps == 0) pattern.fail("is empty");
  if (step.program.may_be_empty) pattern.fail("may match no characters, which is not supported");
  t.steps.push_back(std::move(step));
}

bool add_normal_form(const std::string& type, Tokenizer& t) {
  static constexpr std::pair<std::string_view, NormalForm> kForms[] = {{"NFC", NormalForm::nfc},
                                                                       {"NFD", NormalForm::nfd},
                                                                       {"NFKC", NormalForm::nfkc},
                                                                       {"NFKD", NormalForm::nfkd}};
  for (const auto& [name, form] : kForms) {
    if (name != type) continue;
    add(t, Kind::normal_form).form = form;
    return true;
  }
  return false;
}

// ---- pre-tokenizers -------------------------------------------------------------------------

void add_byte_level(const TokenizerField& field, Tokenizer& t) {
  t.model.by_bytes = true;
  if (field["add_prefix_space"].flag_or(true)) {
    TextStep& blank = add(t, Kind::prepend);
    blank.to = " ";
    blank.unless_there = true;
  }
  if (field["use_regex"].flag_or(true)) add_split(t, field, std::string(kGpt2Words), "isolated");
}

void add_metaspace(const TokenizerField& field, Tokenizer& t) {
  const std::string mark = field["replacement"].text_or("\xE2\x96\x81");
  const std::string scheme =
      field["prepend_scheme"].text_or(field["add_prefix_space"].flag_or(true) ? "always" : "never");
  if (scheme != "always" && scheme != "first" && scheme != "never")
    field["prepend_scheme"].fail("\"" + scheme + "\" is not known");
  TextStep& blanks = add(t, Kind::replace);
  blanks.from = " ";
  blanks.to = mark;
  if (scheme != "never") {
    TextStep& first = add(t, Kind::prepend);
    first.to = mark;
    first.unless_there = true;
    first.only_first = scheme == "first";
  }
  if (field["split"].flag_or(true)) add_split(t, field, literal(mark), "merged_with_next");
}

std::string punctuation() { return "[\\p{P}!-/:-@\\[-`{-~]"; }

bool add_plain_split(const std::string& type, const TokenizerField& field, Tokenizer& t) {
  // Alphabetic and Join_Control of Unicode belong to words, too.
  static const std::string word =
      "\\p{L}\\p{M}\\p{Nd}\\p{Nl}\\p{Pc}\\x{24B6}-\\x{24E9}\\x{1F130}-\\x{1F149}"
      "\\x{1F150}-\\x{1F169}\\x{1F170}-\\x{1F189}\\x{200C}\\x{200D}";
  if (type == "Whitespace") {
    add_split(t, field, "[" + word + "]+|[^\\s" + word + "]+", "removed", true);
  } else if (type == "WhitespaceSplit") {
    add_split(t, field, "\\s", "removed");
  } else if (type == "BertPreTokenizer") {
    add_split(t, field, "\\s", "removed");
    add_split(t, field, punctuation(), "isolated");
  } else if (type == "Digits") {
    const bool each = field["individual_digits"].flag_or(false);
    add_split(t, field, "\\p{N}", each ? "isolated" : "contiguous");
  } else if (type == "Punctuation") {
    const TokenizerField behavior = field["behavior"];
    add_split(t, field, punctuation(), behavior.given() ? behavior_of(behavior) : "isolated");
  } else if (type == "CharDelimiterSplit") {
    add_split(t, field, literal(field["delimiter"].text()), "removed");
  } else if (type == "Split") {
    add_split(t, field["pattern"], pattern_of(field["pattern"]), behavior_of(field["behavior"]),
              field["invert"].flag_or(false));
  } else {
    return false;
  }
  return true;
}

}  // namespace

void add_normalizer(const TokenizerField& field, Tokenizer& t) {
  if (!field.given()) return;
  check_steps(field, t);
  const std::string type = field["type"].text();
  if (type == "Sequence") {
    field["normalizers"].each([&](const TokenizerField& one) { add_normalizer(one, t); });
  } else if (type == "Lowercase") {
    add(t, Kind::small_letters);
  } else if (type == "StripAccents") {
    add_without_accents(t);
  } else if (type == "Strip") {
    TextStep& step = add(t, Kind::strip);
    step.left = field["strip_left"].flag_or(true);
    step.right = field["strip_right"].flag_or(true);
  } else if (type == "Prepend") {
    add(t, Kind::prepend).to = field["prepend"].text();
  } else if (type == "BertNormalizer") {
    add_bert(field, t);
  } else if (type == "Replace") {
    add_replace(field, t);
  } else if (type == "Precompiled") {
    TextRules rules = read_precompiled_map(field["precompiled_charsmap"]);
    if (!rules.empty()) add(t, Kind::map).rules = std::move(rules);
  } else if (!add_normal_form(type, t)) {
    unsupported(field["type"]);
  }
}

void add_pre_tokenizer(const TokenizerField& field, Tokenizer& t) {
  if (!field.given()) return;
  check_steps(field, t);
  if (t.model.by_bytes) field.fail("follows ByteLevel, which has to be the last");
  const std::string type = field["type"].text();
  if (type == "Sequence")
    field["pretokenizers"].each([&](const TokenizerField& one) { add_pre_tokenizer(one, t); });
  else if (type == "ByteLevel")
    add_byte_level(field, t);
  else if (type == "Metaspace")
    add_metaspace(field, t);
  else if (!add_plain_split(type, field, t))
    unsupported(field["type"]);
}

}  // namespace onnxc::ops

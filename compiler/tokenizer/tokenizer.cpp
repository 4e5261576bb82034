// Reads tokenizer.json.
#include "compiler/tokenizer/tokenizer.hpp"

#include <algorithm>

#include "compiler/tokenizer/json_fields.hpp"
#include "compiler/tokenizer/model.hpp"
#include "compiler/tokenizer/steps.hpp"
#include "templates/text/piece_bits.hpp"
#include "templates/text/regex_find.hpp"

namespace onnxc::ops {
namespace {

bool has_match(const RegexProgram& program, const std::string& word) {
  std::vector<std::int64_t> work(static_cast<std::size_t>(search_numbers(program)));
  RegexSearch search{program.words.data(), program.steps, work.data()};
  return regex_find(search, Text{word.data(), static_cast<std::int64_t>(word.size())}, 0).begin >=
         0;
}

// Whether the steps leave a word of an added token as it is.
bool is_stable(const std::string& word, const std::vector<TextStep>& steps) {
  const bool plain =
      std::all_of(word.begin(), word.end(), [](char c) { return c > ' ' && c < 0x7F; });
  return plain && std::all_of(steps.begin(), steps.end(), [&](const TextStep& s) {
           if (s.kind == TextStep::Kind::small_letters)
             return std::none_of(word.begin(), word.end(),
                                 [](char c) { return c >= 'A' && c <= 'Z'; });
           if (s.kind == TextStep::Kind::replace)
             return s.from.empty() ? !has_match(s.program, word)
                                   : word.find(s.from) == std::string::npos;
           if (s.kind == TextStep::Kind::map)
             return std::none_of(s.rules.begin(), s.rules.end(), [&](const auto& rule) {
               return rule.first.size() == 1 && word.find(rule.first) != std::string::npos;
             });
           return s.kind != TextStep::Kind::prepend;
         });
}

// Token ids of the words and of the added tokens.
struct Pieces {
  std::vector<std::string> names;
  std::vector<std::uint8_t> bits;

  void put(std::int32_t id, const std::string& name, std::uint8_t kind) {
    const auto at = static_cast<std::size_t>(id);
    if (at >= names.size()) {
      names.resize(at + 1);
      bits.resize(at + 1, kNoPiece);
    }
    names[at] = name;
    bits[at] = kind;
  }
};

void read_added(const TokenizerField& field, Tokenizer& t, Pieces& pieces) {
  if (!field.given()) return;
  field.each([&](const TokenizerField& token) {
    AddedToken added;
    added.text = token["content"].text();
    if (added.text.empty()) token["content"].fail("is empty");
    if (token["single_word"].flag_or(false)) token["single_word"].fail("is not supported");
    added.id = token["id"].piece();
    added.blanks_before = token["lstrip"].flag_or(false);
    added.blanks_after = token["rstrip"].flag_or(false);
    const bool special = token["special"].flag_or(false);
    pieces.put(added.id, added.text, special ? kSpecialPiece : 0);
    const bool later = token["normalized"].flag_or(!special) && !t.steps.empty();
    if (later && !is_stable(added.text, t.steps))
      token["normalized"].fail("is not supported for \"" + added.text +
                               "\", which the normalizer changes");
    (later ? t.added_later : t.added).push_back(std::move(added));
  });
}

// ---- post-processors ------------------------------------------------------------------------

void add_around(const TokenizerField& id, std::vector<std::int32_t>& list) {
  constexpr std::size_t kMax = 1000;
  if (list.size() == kMax) id.fail("is one token too many around a text");
  list.push_back(id.piece());
}

void read_template(const TokenizerField& field, Tokenizer& t) {
  bool after = false;
  field["single"].each([&](const TokenizerField& part) {
    if (part["Sequence"].given()) {
      if (after) part.fail("has the text twice");
      after = true;
      return;
    }
    const std::string name = part["SpecialToken"]["id"].text();
    const TokenizerField ids = field["special_tokens"][name]["ids"];
    ids.each([&](const TokenizerField& id) { add_around(id, after ? t.after : t.before); });
  });
  if (!after) field["single"].fail("is without the text");
}

void read_post_processor(const TokenizerField& field, Tokenizer& t) {
  if (!field.given()) return;
  const std::string type = field["type"].text();
  if (type == "Sequence") {
    field["processors"].each([&](const TokenizerField& one) { read_post_processor(one, t); });
  } else if (type == "TemplateProcessing") {
    read_template(field, t);
  } else if (type == "BertProcessing" || type == "RobertaProcessing") {
    for (const char* name : {"cls", "sep"}) {
      const JsonValue& pair = field[name].of(JsonValue::Kind::array, "pair");
      if (pair.items.size() != 2) field[name].fail("is no pair of token and number");
      const TokenizerField id(&pair.items[1], field[name].where());
      add_around(id, name[0] == 'c' ? t.before : t.after);
    }
  } else if (type != "ByteLevel") {
    field["type"].fail("\"" + type + "\" is not supported");
  }
}

void read_limits(const TokenizerField& file, Tokenizer& t) {
  if (const TokenizerField cut = file["truncation"]; cut.given()) {
    if (cut["direction"].text_or("Right") != "Right") cut["direction"].fail("is not supported");
    if (cut["stride"].integer_or(0) != 0) cut["stride"].fail("is not supported");
    t.max_tokens = cut["max_length"].integer();
    const auto around = static_cast<std::int64_t>(t.before.size() + t.after.size());
    if (t.max_tokens <= around) cut["max_length"].fail("leaves no room for the text");
  }
  const TokenizerField padding = file["padding"];
  if (padding.given() &&
      padding["strategy"].of(JsonValue::Kind::string, "name").string != "BatchLongest")
    padding["strategy"].fail("is not supported: only the caller knows how long its tensors are");
}

}  // namespace

Tokenizer read_tokenizer(std::string_view json) {
  const JsonValue document = read_document(json);
  const TokenizerField file(&document, "");
  if (document.find("search") && document.find("model"))
    file["model"].fail(
        "belongs to a genai_config.json: that is for --genai, next to tokenizer.json");
  Tokenizer t;
  Pieces pieces;
  add_normalizer(file["normalizer"], t);
  Pieces added;
  read_added(file["added_tokens"], t, added);
  if (!t.added_later.empty()) t.steps.emplace_back().kind = TextStep::Kind::added;
  add_pre_tokenizer(file["pre_tokenizer"], t);
  read_model(file["model"], t);
  const JsonValue* vocab =
      file["model"]["vocab"].given() ? document.find("model")->find("vocab") : nullptr;
  for (const auto& [name, id] : vocab->members)
    pieces.put(static_cast<std::int32_t>(id.number), name, 0);
  for (std::size_t i = 0; i < vocab->items.size(); ++i)
    pieces.put(static_cast<std::int32_t>(i), vocab->items[i].items[0].string, 0);
  for (std::size_t i = 0; i < added.names.size(); ++i)
    if (added.bits[i] != kNoPiece)
      pieces.put(static_cast<std::int32_t>(i), added.names[i], added.bits[i]);
  t.decoder.bits = pieces.bits;
  read_post_processor(file["post_processor"], t);
  read_limits(file, t);
  read_decoder(file["decoder"], pieces.names, t);
  return t;
}

}  // namespace onnxc::ops

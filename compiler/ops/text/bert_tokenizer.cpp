// BertTokenizer, HfBertTokenizer, BasicTokenizer: words of a text, and their pieces in a
// vocabulary. Characters are classified by Unicode, as BERT itself does.
#include "compiler/kernels/text_calls.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/ops/text/character_sets.hpp"
#include "compiler/ops/text/extension.hpp"
#include "compiler/ops/text/vocabulary_constants.hpp"
#include "compiler/ops/text/vocabulary_lines.hpp"

namespace onnxc::ops::bert_tokenizer {
namespace {

constexpr std::int64_t kLongestWord = 100;

void add_set(Lower& n, Call& call, const CharacterSetTable& set, const std::string& role) {
  call.begin_struct("CharacterSet").read(integers(n, set.words, role)).value(Dim(set.ranges));
  call.end_struct();
}

// Without accents to remove the tables of normal forms are empty.
void add_tables(Lower& n, Call& call) {
  const bool strips = n.attr_int("strip_accents") != 0;
  const NormalFormTables forms =
      strips ? normal_form_tables(NormalForm::nfd) : NormalFormTables{{}, {0}, {}, {}, {}};
  const auto count = [](const std::vector<std::int32_t>& v, std::size_t width) {
    return Dim(static_cast<std::int64_t>(v.size() / width));
  };
  call.begin_struct("BertTables").begin_struct("NormalFormTable");
  call.read(integers(n, forms.keys, "keys")).read(integers(n, forms.begins, "begins"));
  call.read(integers(n, forms.parts, "parts")).read(integers(n, forms.classes, "classes"));
  call.read(integers(n, forms.composed, "composed"));
  call.value(count(forms.keys, 1)).value(count(forms.classes, 3)).value(Dim(0)).end_struct();
  add_set(n, call, strips ? set_of_categories({"Mn"}) : character_set({}), "marks");
  add_set(n, call, bert_control(), "control");
  add_set(n, call, character_set(bert_punctuation()), "punctuation");
  call.end_struct();
}

// ---- BasicTokenizer -------------------------------------------------------------------------

void infer_words(Infer& n) {
  n.one_value(0, "input 0 \"text\"");
  n.output(0, ElemType::string, Shape{n.unknown_extent()});
}

void lower_words(Lower& n) {
  const BertWordsShape<Dim> shape{
      n.attr_int("do_lower_case") != 0, n.attr_int("strip_accents") != 0,
      n.attr_int("tokenize_chinese_chars") != 0, n.attr_int("tokenize_punctuation") != 0,
      n.attr_int("remove_control_chars") != 0};
  Call extents = n.call("bert_words_extents", shape);
  add_tables(n, extents.in(0));
  extents.heap().extents({n.out_shape(0)[0]});
  Call words = n.call("bert_words", shape);
  add_tables(n, words.in(0));
  words.out(0).heap();
}

// ---- BertTokenizer --------------------------------------------------------------------------

constexpr const char* kSpecial[] = {"unk_token", "sep_token", "cls_token", "pad_token",
                                    "mask_token"};

struct Words {
  Vocabulary vocabulary;
  std::int64_t unknown = 0, end = 0, begin = 0;
};

Words words_of(const NodeView& n) {
  Words w;
  w.vocabulary = numbered_lines(n.attr_string("vocab_file"));
  std::int64_t numbers[std::size(kSpecial)];
  for (std::size_t i = 0; i < std::size(kSpecial); ++i) {
    numbers[i] = -1;
    for (const auto& [word, number] : w.vocabulary)
      if (word == n.attr_string(kSpecial[i])) numbers[i] = number;
    n.require(numbers[i] >= 0, "attribute \"vocab_file\"", "lacks {}, the {}",
              quoted(n.attr_string(kSpecial[i])), kSpecial[i]);
  }
  w.unknown = numbers[0];
  w.end = numbers[1];
  w.begin = numbers[2];
  return w;
}

void infer_numbers(Infer& n, bool pair) {
  words_of(n);
  if (n.has_rank(0)) {
    const Dim count = product(n.shape(0));
    n.require(count.value() == 2 || (count.value() == 1 && !pair), "input 0 \"text\"",
              "has {} strings, not {}", count.value(), pair ? "two" : "one or two");
  }
  if (n.has_output(3)) n.unsupported("output 3 \"offset_mapping\"", "is not computed");
  Shape shape = {n.unknown_extent()};
  if (pair) shape.insert(shape.begin(), 1);
  for (std::size_t i = 0; i < 3; ++i) n.output(i, ElemType::int64, shape);
}

void lower_numbers(Lower& n, bool pair) {
  const Words w = words_of(n);
  const std::int64_t longest = n.attr_int("max_length");
  const BertTokensShape<Dim> shape{.count = product(n.shape(0)),
                                   .most = longest > 2 ? longest - 2 : 0,
                                   .begin = w.begin,
                                   .end = w.end,
                                   .unknown = w.unknown,
                                   .longest_word = kLongestWord,
                                   .words = n.attr_int("do_basic_tokenize") != 0,
                                   .lower = n.attr_int("do_lower_case") != 0,
                                   .strip_accents = n.attr_int("strip_accents") != 0,
                                   .han = n.attr_int("tokenize_chinese_chars") != 0,
                                   .punctuation = true,
                                   .remove_control = true};
  const auto add = [&](Call call) {
    add_tables(n, call.in(0));
    add_word_pieces(n, call, w.vocabulary, n.attr_string("suffix_indicator"));
    return call;
  };
  std::size_t given = 0;
  while (!n.has_output(given)) ++given;
  add(n.call("bert_tokens_extents", shape)).heap().extents({n.out_shape(given).back()});
  Call call = add(n.call("bert_tokens", shape)).out(0);
  (pair ? call.out(2).out(1) : call.out(1).out(2)).heap();
}

constexpr std::string_view kAttributes =
    "vocab_file:string! do_lower_case:int=1 do_basic_tokenize:int=1 unk_token:string=[UNK] "
    "sep_token:string=[SEP] pad_token:string=[PAD] cls_token:string=[CLS] mask_token:string=[MASK] "
    "tokenize_chinese_chars:int=1 strip_accents:int=0 suffix_indicator:string=## "
    "max_length:int=-1 truncation_strategy_name:string=longest_first";

constexpr Op rows[] = {
    extension({.name = "BasicTokenizer",
               .inputs = "text:string",
               .outputs = "tokens:string",
               .attributes = "do_lower_case:int=1 tokenize_chinese_chars:int=1 strip_accents:int=0 "
                             "tokenize_punctuation:int=0 remove_control_chars:int=1",
               .infer = infer_words,
               .lower = lower_words}),
    extension({.name = "BertTokenizer",
               .inputs = "text:string",
               .outputs = "input_ids:int64 token_type_ids:int64? attention_mask:int64? "
                          "offset_mapping:int64?",
               .attributes = kAttributes,
               .limits = "the output offset_mapping",
               .infer = [](Infer& n) { infer_numbers(n, false); },
               .lower = [](Lower& n) { lower_numbers(n, false); }}),
    extension({.name = "HfBertTokenizer",
               .inputs = "text:string",
               .outputs = "input_ids:int64 attention_mask:int64? token_type_ids:int64? "
                          "offset_mapping:int64?",
               .attributes = kAttributes,
               .limits = "the output offset_mapping",
               .infer = [](Infer& n) { infer_numbers(n, true); },
               .lower = [](Lower& n) { lower_numbers(n, true); }})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::bert_tokenizer

// WordpieceTokenizer: splits words between blanks into pieces of a vocabulary.
#include "compiler/kernels/text_calls.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/ops/text/extension.hpp"
#include "compiler/ops/text/vocabulary_constants.hpp"
#include "compiler/ops/text/vocabulary_lines.hpp"

namespace onnxc::ops::wordpiece_tokenizer {
namespace {

void infer(Infer& n) {
  vocabulary_of_json(n, "vocab");
  if (n.has_rank(1))
    n.require(n.rank(1) <= 1, "input 1 \"row_indices\"", "has rank {}, not 1", n.rank(1));
  const Dim rows = n.unknown_extent();
  n.output(0, ElemType::string, Shape{n.unknown_extent()});
  n.output(1, ElemType::int64, Shape{n.unknown_extent()});
  n.output(2, ElemType::int64, Shape{rows});
  n.output(3, ElemType::int64, Shape{rows});
}

void lower(Lower& n) {
  Vocabulary words;
  std::vector<std::string> texts;
  for (const auto& [word, number] : vocabulary_of_json(n, "vocab")) {
    words.emplace_back(word, static_cast<std::int32_t>(texts.size()));
    texts.push_back(word);
  }
  const auto unknown = static_cast<std::int64_t>(texts.size());
  texts.push_back(n.attr_string("unknown_token"));
  const WordPieceRowsShape<Dim> shape{product(n.shape(0)), product(n.shape(1)), unknown,
                                      n.attr_int("max_input_chars_per_word")};
  const std::string& mark = n.attr_string("suffix_indicator");
  Call extents = n.call("word_piece_rows_extents", shape).in({0, 1});
  add_word_pieces(n, extents, words, mark);
  extents.extents({n.out_shape(0)[0], n.out_shape(2)[0], n.out_shape(1)[0]});
  Call call = n.call("word_piece_rows", shape).in({0, 1});
  add_word_pieces(n, call, words, mark);
  call.read(n.constant(Tensor({unknown + 1}, std::move(texts)), "words")).out({0, 1, 2, 3});
}

constexpr Op rows[] = {extension({
    .name = "WordpieceTokenizer",
    .inputs = "text:string row_indices:int64",
    .outputs = "tokens:string row_lengths:int64 row_begin:int64 limit_values:int64",
    .attributes = "vocab:string! suffix_indicator:string! unknown_token:string! "
                  "max_input_chars_per_word:int=200",
    .infer = infer,
    .lower = lower,
})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::wordpiece_tokenizer

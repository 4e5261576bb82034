// BertTokenizerDecoder: token ids of BERT's vocabulary as text.
#include <algorithm>

#include "compiler/kernels/text_calls.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/ops/text/character_sets.hpp"
#include "compiler/ops/text/extension.hpp"
#include "compiler/ops/text/vocabulary_constants.hpp"
#include "compiler/ops/text/vocabulary_lines.hpp"
#include "templates/text/code_point.hpp"
#include "templates/text/piece_bits.hpp"

namespace onnxc::ops::bert_tokenizer_decoder {
namespace {

constexpr std::string_view kNoBlankBefore = "!.?,~:}]>)", kNoBlankAfter = "{[<($",
                           kNoBlankAround = "-'\"/@\\";

bool is_one_of(std::int32_t c, std::string_view list) {
  return c < 0x80 && list.find(static_cast<char>(c)) != std::string_view::npos;
}

bool is_other_punctuation(std::int32_t c) {
  static const std::vector<CharacterRange> ranges = characters_of("P");
  return c > 0x80 && std::any_of(ranges.begin(), ranges.end(), [&](const CharacterRange& r) {
           return c >= r.first && c <= r.second;
         });
}

std::uint8_t blanks_of(const std::string& piece) {
  std::int32_t first = -1, last = -1;
  for (const char *p = piece.data(), *end = p + piece.size(); p < end;) {
    const CodePoint c = code_point_at(p, end);
    if (first < 0) first = c.value;
    last = c.value;
    p += c.bytes;
  }
  const auto alone = [](std::int32_t c, std::string_view list) {
    return is_one_of(c, list) || is_one_of(c, kNoBlankAround) || is_other_punctuation(c);
  };
  int bits = 0;
  if (!alone(first, kNoBlankBefore)) bits |= kBlankBefore;
  if (!alone(last, kNoBlankAfter)) bits |= kBlankAfter;
  return static_cast<std::uint8_t>(bits);
}

PieceTexts pieces_of(const NodeView& n) {
  PieceTexts p;
  const std::string& inner = n.attr_string("suffix_indicator");
  for (const auto& [word, number] : numbered_lines(n.attr_string("vocab_file"))) {
    const bool goes_on = word.starts_with(inner);
    const std::string text = goes_on ? word.substr(inner.size()) : word;
    int bits = blanks_of(text) | (goes_on ? kInnerPiece : 0);
    for (const char* special : {"sep_token", "pad_token", "cls_token", "mask_token"})
      if (word == n.attr_string(special)) bits |= kSpecialPiece;
    p.texts.push_back(text);
    p.bits.push_back(static_cast<std::uint8_t>(bits));
  }
  n.require(!p.texts.empty(), "attribute \"vocab_file\"", "is empty");
  p.texts.push_back(n.attr_string("unk_token"));
  return p;
}

void infer(Infer& n) {
  pieces_of(n);
  if (n.has_rank(0)) {
    n.require(n.rank(0) == 1 || n.rank(0) == 2, "input 0 \"ids\"", "has rank {}, not 1 or 2",
              n.rank(0));
    if (n.rank(0) == 2) n.same(Dim(1), n.shape(0)[0], "input 0 \"ids\"");
  }
  if (n.attr_int("use_indices") == 0) return n.output(0, ElemType::string, Shape{1});
  if (!n.has_rank(1)) return n.output(0, ElemType::string, Shape{n.unknown_extent()});
  n.require(n.rank(1) == 2, "input 1 \"positions\"", "has rank {}, not 2", n.rank(1));
  n.same(Dim(2), n.shape(1)[1], "input 1 \"positions\"");
  n.output(0, ElemType::string, Shape{n.shape(1)[0]});
}

void lower(Lower& n) {
  PieceTexts p = pieces_of(n);
  const auto entries = static_cast<std::int64_t>(p.bits.size());
  Call call =
      n.call("join_words", JoinWordsShape<Dim>{n.out_shape(0)[0], product(n.shape(0)), entries,
                                               n.attr_int("skip_special_tokens") != 0,
                                               n.attr_int("clean_up_tokenization_spaces") != 0});
  call.in(0);
  if (n.attr_int("use_indices") != 0)
    call.in(1);
  else
    call.null();
  add_pieces(n, call, std::move(p));
  call.out(0).heap();
}

constexpr Op rows[] = {extension({
    .name = "BertTokenizerDecoder",
    .inputs = "ids:int64 positions:int64",
    .outputs = "text:string",
    .attributes = "vocab_file:string! unk_token:string=[UNK] sep_token:string=[SEP] "
                  "pad_token:string=[PAD] cls_token:string=[CLS] mask_token:string=[MASK] "
                  "suffix_indicator:string=## use_indices:int=0 skip_special_tokens:int=0 "
                  "clean_up_tokenization_spaces:int=1",
    .infer = infer,
    .lower = lower,
})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::bert_tokenizer_decoder

// BpeDecoder: token ids of a vocabulary as text.
#include <charconv>
#include <map>

#include "compiler/kernels/text_calls.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/ops/text/extension.hpp"
#include "compiler/ops/text/token_model.hpp"
#include "compiler/ops/text/vocabulary_constants.hpp"
#include "compiler/ops/text/vocabulary_lines.hpp"
#include "templates/text/code_point.hpp"
#include "templates/text/piece_bits.hpp"

namespace onnxc::ops::bpe_decoder {
namespace {

// "number<tab>text" in each line; the text may be left out.
std::map<std::int64_t, std::string> numbered(const NodeView& n, const std::string& attribute) {
  std::map<std::int64_t, std::string> out;
  if (!n.has_attr(attribute)) return out;
  for (const std::string& line : lines_of(n.attr_string(attribute))) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
    n.require(error == std::errc(), "attribute \"" + attribute + "\"", "{} begins with no number",
              quoted(line));
    const auto at = static_cast<std::size_t>(end - line.data());
    out.emplace(number, at < line.size() && line[at] == '\t' ? line.substr(at + 1) : "");
  }
  return out;
}

constexpr std::int32_t kLowLine = 0x2581;  // stands for a blank in vocabularies of SentencePiece

std::string text_of(const NodeView& n, const std::string& piece,
                    const std::map<std::int64_t, std::string>& bytes) {
  const bool sentences = bytes.count(kLowLine) != 0;
  if (const auto byte = byte_of(piece); sentences && byte) return {static_cast<char>(*byte)};
  std::string out;
  for (const char *p = piece.data(), *end = p + piece.size(); p < end;) {
    const CodePoint c = code_point_at(p, end);
    const auto byte = bytes.find(c.value);
    if (sentences && c.value == kLowLine) {
      out += ' ';
    } else if (sentences) {
      out.append(p, static_cast<std::size_t>(c.bytes));
    } else if (byte != bytes.end()) {
      int value = -1;
      const std::string& digits = byte->second;
      std::from_chars(digits.data(), digits.data() + digits.size(), value);
      n.require(value >= 0 && value < 256, "attribute \"byte_decoder\"", "{} is no byte",
                quoted(digits));
      out += static_cast<char>(value);
    } else if (c.value <= 0xFF) {
      out += static_cast<char>(c.value);
    } else if (n.attr_int("skip_special_tokens") == 0) {
      return n.attr_string("unk_token");
    }
    p += c.bytes;
  }
  return out;
}

// The lines of the vocabulary, empty ones, too.
std::vector<std::string> vocabulary(const NodeView& n) {
  std::vector<std::string> out(1);
  const std::string& text = n.attr_string("id_vocab");
  n.require(!text.empty(), "attribute \"id_vocab\"", "is empty");
  for (char c : text)
    if (c == '\n')
      out.emplace_back();
    else
      out.back() += c;
  if (out.back().empty()) out.pop_back();
  return out;
}

PieceTexts pieces_of(const NodeView& n) {
  PieceTexts p;
  const auto bytes = numbered(n, "byte_decoder");
  n.require(!bytes.empty(), "attribute \"byte_decoder\"", "is empty");
  for (const std::string& piece : vocabulary(n)) p.texts.push_back(text_of(n, piece, bytes));
  constexpr std::int64_t kMax = 1 << 24;
  for (const auto& [number, text] : numbered(n, "added_tokens")) {
    n.require(number >= 0 && number < kMax, "attribute \"added_tokens\"", "{} is no number",
              number);
    const auto at = static_cast<std::size_t>(number);
    if (at >= p.texts.size()) p.texts.resize(at + 1, n.attr_string("unk_token"));
    p.texts[at] = text;
  }
  p.bits.assign(p.texts.size(), 0);
  for (const auto& [number, text] : numbered(n, "all_special_ids"))
    if (number >= 0 && number < static_cast<std::int64_t>(p.bits.size()))
      p.bits[static_cast<std::size_t>(number)] = kSpecialPiece;
  p.texts.push_back(n.attr_string("unk_token"));
  return p;
}

void infer(Infer& n) {
  pieces_of(n);
  if (!n.has_rank(0)) return n.output(0, ElemType::string, std::nullopt);
  Shape out = n.shape(0);
  n.require(!out.empty(), "input 0 \"ids\"", "is a scalar");
  out.pop_back();
  if (out.empty()) out = {1};
  n.output(0, ElemType::string, out);
}

void lower(Lower& n) {
  PieceTexts p = pieces_of(n);
  const auto entries = static_cast<std::int64_t>(p.bits.size());
  Call call =
      n.call("join_pieces", JoinPiecesShape<Dim>{product(n.out_shape(0)), n.shape(0).back(),
                                                 entries, n.attr_int("skip_special_tokens") != 0,
                                                 n.attr_int("whitespace_token") != 0});
  add_pieces(n, call.in(0), std::move(p));
  call.out(0).heap();
}

constexpr Op rows[] = {extension({
    .name = "BpeDecoder",
    .inputs = "ids:int64",
    .outputs = "text:string",
    .attributes =
        "id_vocab:string! byte_decoder:string! added_tokens:string all_special_ids:string "
        "en_normalization:int=0 skip_special_tokens:int=0 whitespace_token:int=0 "
        "bos_token:string=<|endoftext|> eos_token:string=<|endoftext|> "
        "unk_token:string=<|endoftext|>",
    .infer = infer,
    .lower = lower,
})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::bpe_decoder

// Reads models and decoders of tokenizer.json.
#include "compiler/tokenizer/model.hpp"

#include <algorithm>

#include "templates/text/piece_bits.hpp"

namespace onnxc::ops {
namespace {

using Numbers = PieceNumbers;

// {"piece": number, ...}
Numbers read_numbers(const TokenizerField& field) {
  Numbers out;
  for (const auto& [piece, number] : field.of(JsonValue::Kind::object, "object").members)
    out[piece] = TokenizerField(&number, field.where()).piece();
  if (out.empty()) field.fail("is empty");
  return out;
}

void read_unknown(const TokenizerField& field, const Numbers& numbers, TokenModel& m) {
  if (!field.given()) return;
  const auto found = numbers.find(field.text());
  if (found == numbers.end()) field.fail("is not in the vocabulary");
  m.unknown = found->second;
}

void find_byte_pieces(const Numbers& numbers, TokenModel& m) {
  for (const auto& [piece, number] : numbers)
    if (const auto byte = byte_of(piece)) m.bytes[*byte] = number;
}

// ---- byte pair encoding ---------------------------------------------------------------------

std::pair<std::string, std::string> pair_of(const TokenizerField& field, const JsonValue& merge) {
  if (merge.items.size() == 2 && merge.items[0].is(JsonValue::Kind::string) &&
      merge.items[1].is(JsonValue::Kind::string))
    return {merge.items[0].string, merge.items[1].string};
  const std::size_t at = merge.string.find(' ');
  if (!merge.is(JsonValue::Kind::string) || at == std::string::npos)
    field.fail("has an entry that is no pair");
  return {merge.string.substr(0, at), merge.string.substr(at + 1)};
}

void read_merges(const TokenizerField& field, const Numbers& numbers, TokenModel& m) {
  for (const JsonValue& merge : field.of(JsonValue::Kind::array, "list").items) {
    const auto [left, right] = pair_of(field, merge);
    m.add_rule(left, right, numbers, [&](const std::string& piece) {
      field.fail("\"" + piece + "\" is not in the vocabulary");
    });
  }
}

// Pieces of bytes instead of the characters that stand for them.
void to_bytes(const TokenizerField& field, const Numbers& numbers, TokenModel& m) {
  m.set_byte_pieces(numbers);
  if (m.unknown >= 0 && std::count(m.bytes.begin(), m.bytes.end(), -1) > 0)
    field.fail("lacks a piece of one byte, which becomes the unknown piece");
}

void read_pairs(const TokenizerField& field, TokenModel& m) {
  m.kind = TokenModel::Kind::pairs;
  const Numbers numbers = read_numbers(field["vocab"]);
  m.words.assign(numbers.begin(), numbers.end());
  if (field["dropout"].given() && field["dropout"].number() != 0)
    field["dropout"].fail("is not supported: it is random");
  m.inner_prefix = field["continuing_subword_prefix"].text_or("");
  m.word_end = field["end_of_word_suffix"].text_or("");
  m.fuse_unknown = field["fuse_unk"].flag_or(false);
  m.byte_fallback = field["byte_fallback"].flag_or(false);
  m.whole_words = field["ignore_merges"].flag_or(false);
  read_unknown(field["unk_token"], numbers, m);
  read_merges(field["merges"], numbers, m);
  if (m.by_bytes && !m.inner_prefix.empty())
    field["continuing_subword_prefix"].fail("is not supported over ByteLevel");
  else if (m.by_bytes)
    to_bytes(field["vocab"], numbers, m);
  else if (m.byte_fallback)
    find_byte_pieces(numbers, m);
}

// ---- the others -----------------------------------------------------------------------------

void read_word_pieces(const TokenizerField& field, TokenModel& m) {
  m.kind = TokenModel::Kind::word_pieces;
  const Numbers numbers = read_numbers(field["vocab"]);
  m.words.assign(numbers.begin(), numbers.end());
  m.inner_prefix = field["continuing_subword_prefix"].text_or("##");
  m.longest_word = field["max_input_chars_per_word"].integer_or(100);
  read_unknown(field["unk_token"], numbers, m);
  if (m.unknown < 0) field["unk_token"].fail("is missing");
}

void read_words(const TokenizerField& field, TokenModel& m) {
  m.kind = TokenModel::Kind::words;
  const Numbers numbers = read_numbers(field["vocab"]);
  m.words.assign(numbers.begin(), numbers.end());
  const auto unknown = numbers.find(field["unk_token"].text_or("<unk>"));
  if (unknown != numbers.end()) m.unknown = unknown->second;
}

void read_unigram(const TokenizerField& field, TokenModel& m) {
  m.kind = TokenModel::Kind::unigram;
  Numbers numbers;
  field["vocab"].each([&](const TokenizerField& entry) {
    const JsonValue& pair = entry.of(JsonValue::Kind::array, "pair");
    if (pair.items.size() != 2 || !pair.items[0].is(JsonValue::Kind::string) ||
        !pair.items[1].is(JsonValue::Kind::number))
      entry.fail("is no pair of piece and score");
    const auto number = static_cast<std::int32_t>(m.scores.size());
    m.words.emplace_back(pair.items[0].string, number);
    numbers[pair.items[0].string] = number;
    m.scores.push_back(pair.items[1].number);
  });
  if (m.scores.empty()) field["vocab"].fail("is empty");
  m.unknown = field["unk_id"].integer_or(-1);
  if (m.unknown >= static_cast<std::int64_t>(m.scores.size()))
    field["unk_id"].fail("is no number of a piece");
  m.fuse_unknown = true;
  m.byte_fallback = field["byte_fallback"].flag_or(false);
  if (m.byte_fallback) find_byte_pieces(numbers, m);
}

// ---- decoders -------------------------------------------------------------------------------

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  std::string out;
  std::size_t at = 0;
  for (std::size_t next = 0; (next = text.find(from, at)) != std::string::npos;
       at = next + from.size())
    out.append(text, at, next - at).append(to);
  text = out.append(text, at);
}

// Decoders may multiply what the file holds.
void check_size(const TokenizerField& field, const std::string& piece, std::size_t from,
                std::size_t to) {
  constexpr std::size_t kMax = 1 << 16;
  if (piece.size() / from * to > kMax) field.fail("may make a piece too long");
}

// As Hugging Face cleans up the blanks around punctuation.
std::string cleaned(std::string piece) {
  static constexpr std::pair<const char*, const char*> kPairs[] = {
      {" .", "."},   {" ?", "?"},     {" !", "!"},    {" ,", ","},
      {" ' ", "'"},  {" n't", "n't"}, {" 'm", "'m"},  {" do not", " don't"},
      {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
  for (const auto& [from, to] : kPairs) replace_all(piece, from, to);
  return piece;
}

void read_word_piece_decoder(const TokenizerField& field, TokenDecoder& d) {
  const std::string prefix = field["prefix"].text_or("##");
  const bool cleans = field["cleanup"].flag_or(true);
  for (std::size_t i = 0; i < d.pieces.size(); ++i) {
    // The first piece of a text has neither a blank nor lost its prefix.
    std::string first = d.pieces[i], later = " " + first;
    if (first.starts_with(prefix)) {
      later = first.substr(prefix.size());
      d.bits[i] |= kInnerPiece;
    }
    d.pieces[i] = cleans ? cleaned(later) : later;
  }
  d.words = true;
  d.blank = prefix;
}

// One of the decoders that change pieces, in a Sequence or alone. `fused`: after a Fuse.
void read_one_decoder(const TokenizerField& field, bool& fused, TokenDecoder& d) {
  const std::string type = field["type"].text();
  if (type == "ByteLevel") {
    for (std::string& piece : d.pieces) {
      std::string bytes;
      if (as_bytes(piece, bytes)) piece = bytes;
    }
  } else if (type == "WordPiece") {
    read_word_piece_decoder(field, d);
  } else if (type == "Metaspace") {
    const std::string scheme = field["prepend_scheme"].text_or(
        field["add_prefix_space"].flag_or(true) ? "always" : "never");
    d.blank = field["replacement"].text_or("\xE2\x96\x81");
    d.drops_first_blanks = scheme != "never";
  } else if (type == "Replace" && !fused && field["pattern"]["String"].given()) {
    const std::string replaced = field["pattern"]["String"].text();
    if (replaced.empty()) field["pattern"].fail("is empty");
    const std::string by = field["content"].text();
    for (std::string& piece : d.pieces) {
      check_size(field, piece, replaced.size(), by.size());
      replace_all(piece, replaced, by);
    }
  } else if (type == "ByteFallback") {
    for (std::string& piece : d.pieces)
      if (const auto byte = byte_of(piece)) piece = static_cast<char>(*byte);
  } else if (type == "Fuse") {
    fused = true;
  } else if (type == "Strip" && fused && field["content"].text() == " " &&
             field["stop"].integer_or(0) == 0) {
    d.strip = field["start"].integer_or(0);
    if (d.strip < 0 || d.strip > 100) field["start"].fail("is no number of blanks");
  } else {
    field["type"].fail("\"" + type + "\" is not supported here");
  }
}

}  // namespace

void read_model(const TokenizerField& field, Tokenizer& t) {
  // Old files leave the type out.
  std::string type = field["type"].text_or("");
  if (type.empty()) type = field["merges"].given() ? "BPE" : "WordPiece";
  if (type != "BPE" && t.model.by_bytes)
    field["type"].fail("\"" + type + "\" is not supported over ByteLevel");
  if (type == "BPE")
    read_pairs(field, t.model);
  else if (type == "WordPiece")
    read_word_pieces(field, t.model);
  else if (type == "WordLevel")
    read_words(field, t.model);
  else if (type == "Unigram")
    read_unigram(field, t.model);
  else
    field["type"].fail("\"" + type + "\" is not supported");
}

void read_decoder(const TokenizerField& field, const PieceNames& names, Tokenizer& t) {
  TokenDecoder& d = t.decoder;
  d.pieces = names;
  if (!field.given()) {  // pieces with blanks between them
    for (std::string& piece : d.pieces) piece = " " + piece;
    d.strip = 1;
    return;
  }
  bool fused = false;
  constexpr std::size_t kMaxDecoders = 100;
  if (field["type"].text() == "Sequence" &&
      field["decoders"].of(JsonValue::Kind::array, "list").items.size() > kMaxDecoders)
    field["decoders"].fail("has too many entries");
  if (field["type"].text() == "Sequence")
    field["decoders"].each([&](const TokenizerField& one) { read_one_decoder(one, fused, d); });
  else
    read_one_decoder(field, fused, d);
}

}  // namespace onnxc::ops

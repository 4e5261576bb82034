// token_text.hpp - tokens as text, one at a time: what is not a whole character is held back.
#pragma once

#include <cstdint>

#include "runtime_min/text.hpp"
#include "templates/text/piece_bits.hpp"

namespace onnxc {

// Text goes to `to`, as far as there is room; size counts all of it.
struct TextSink {
  char* to;
  std::size_t capacity, size;

  void put(char c) {
    if (size < capacity) to[size] = c;
    ++size;
  }
};

// The bytes of a character that is not complete yet, and what the text began with.
struct TokenTextState {
  unsigned char pending[4];
  unsigned char pending_count;
  unsigned char started;   // a token was there
  unsigned char stripped;  // blanks that went at the start
  unsigned char written;   // there is text
};

// Pieces of a vocabulary: those of number i are bytes[begins[i], begins[i + 1]).
struct TokenPieces {
  const std::int32_t* begins;
  const std::uint8_t *bytes, *bits;
  std::int32_t count;

  Text piece(std::int32_t i) const {
    return {reinterpret_cast<const char*>(bytes) + begins[i], begins[i + 1] - begins[i]};
  }
};

namespace token_text_detail {

// How many bytes a character has that begins with `lead`; 0 where none does.
inline unsigned char length_of(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  return lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

// Whether a byte may follow the ones that are there.
inline bool follows(const TokenTextState& state, unsigned char byte) {
  const unsigned char lead = state.pending[0];
  unsigned char low = 0x80, high = 0xBF;
  if (state.pending_count == 1) {
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  }
  return byte >= low && byte <= high;
}

// What is not a character becomes the replacement character, once for the longest part of one.
inline void give_up(TokenTextState& state, TextSink& sink) {
  if (state.pending_count == 0) return;
  state.pending_count = 0;
  sink.put('\xEF');
  sink.put('\xBF');
  sink.put('\xBD');
}

inline void put_byte(TokenTextState& state, unsigned char byte, TextSink& sink) {
  if (state.pending_count > 0 && !follows(state, byte)) give_up(state, sink);
  state.pending[state.pending_count++] = byte;
  const unsigned char length = length_of(state.pending[0]);
  if (length == 0) give_up(state, sink);
  if (state.pending_count == 0 || state.pending_count < length) return;
  for (unsigned char i = 0; i < state.pending_count; ++i)
    sink.put(static_cast<char>(state.pending[i]));
  state.pending_count = 0;
}

}  // namespace token_text_detail

// Adds a token to the text. s: words (pieces are words but where kInnerPiece), strip (blanks at
// the start that are removed), drops_first_blanks, blank() (what stands for a blank, or for going
// on).
template <class S>
void put_token(S s, const TokenPieces& pieces, std::int64_t id, bool skip_special,
               TokenTextState& state, TextSink& sink) {
  using namespace token_text_detail;
  if (id < 0 || id >= pieces.count) return;
  const auto number = static_cast<std::int32_t>(id);
  const std::uint8_t bits = pieces.bits[number];
  if ((bits & kNoPiece) != 0 || (skip_special && (bits & kSpecialPiece) != 0)) return;
  Text piece = pieces.piece(number);
  const bool first = state.started == 0;
  state.started = 1;
  const Text blank = s.blank();
  const auto put = [&](char c) {
    if (c == ' ' && state.written == 0 && state.stripped < s.strip) {
      ++state.stripped;
      return;
    }
    state.written = 1;
    put_byte(state, static_cast<unsigned char>(c), sink);
  };
  if (s.words && first) {
    if ((bits & kInnerPiece) != 0)
      for (std::int64_t i = 0; i < blank.size; ++i) put(blank.data[i]);
    else if (piece.size > 0 && piece.data[0] == ' ')
      piece = {piece.data + 1, piece.size - 1};
  }
  while (piece.size > 0) {
    const bool is_blank = !s.words && blank.size > 0 && piece.size >= blank.size &&
                          Text{piece.data, blank.size} == blank;
    const std::int64_t used = is_blank ? blank.size : 1;
    if (!is_blank)
      put(piece.data[0]);
    else if (!(first && s.drops_first_blanks))
      put(' ');
    piece = {piece.data + used, piece.size - used};
  }
}

// The end of the text.
inline void end_tokens(TokenTextState& state, TextSink& sink) {
  token_text_detail::give_up(state, sink);
}

}  // namespace onnxc

// add_tokens.hpp - words as the tokens of a model, into memory of the caller.
#pragma once

#include <cstdint>

#include "runtime_min/text.hpp"
#include "templates/text/byte_pairs.hpp"
#include "templates/text/code_point.hpp"
#include "templates/text/prefix_tree.hpp"
#include "templates/text/unigram.hpp"
#include "templates/text/word_pieces.hpp"

namespace onnxc {

// Tokens go to `ids`, as far as there is room; count counts all of them, up to `most`.
struct TokenSink {
  std::int64_t* ids;
  std::size_t capacity, count, most;

  void put(std::int64_t id) {
    if (count >= most) return;
    if (count < capacity) ids[count] = id;
    ++count;
  }
};

// A word that is a token by itself, and whether it takes the white space next to it.
struct AddedWord {
  std::int32_t id;
  bool blanks_before, blanks_after;
};

namespace add_tokens_detail {

inline std::int64_t without_trailing_blanks(const Text& x) {
  std::int64_t size = 0;
  each_character(x, [&](std::int32_t c, const Text& bytes) {
    if (!is_white_space(c)) size = bytes.data + bytes.size - x.data;
  });
  return size;
}

}  // namespace add_tokens_detail

// Puts the added words of x, and calls f(part) for what is between them. The longest of those that
// begin at one place counts. words[value]: an AddedWord.
template <class Words, class Sink, class F>
Status each_between(const PrefixTree& tree, const Words& words, const Text& x, Sink& sink, F f) {
  std::int64_t done = 0;
  for (std::int64_t i = 0; i < x.size;) {
    const LongestPrefix found = longest_prefix(tree, 0, Text{x.data + i, x.size - i});
    if (found.value < 0) {
      ++i;
      continue;
    }
    const AddedWord word = words[found.value];
    Text part{x.data + done, i - done};
    if (word.blanks_before) part.size = add_tokens_detail::without_trailing_blanks(part);
    const Status status = part.size > 0 ? f(part) : Status::ok;
    if (status != Status::ok) return status;
    sink.put(word.id);
    i += found.bytes;
    while (word.blanks_after && i < x.size) {
      const CodePoint c = code_point_at(x.data + i, x.data + x.size);
      if (!is_white_space(c.value)) break;
      i += c.bytes;
    }
    done = i;
  }
  return x.size > done ? f(Text{x.data + done, x.size - done}) : Status::ok;
}

// ids: byte_pairs_scratch(bytes).  s: what byte_pairs takes.
template <class S, class Sink>
Status add_byte_pairs(S s, const PairModel& model, const Text& word, std::int32_t* ids,
                      Sink& sink) {
  const std::int32_t count = byte_pairs(s, model, word, ids);
  for (std::int32_t i = 0; i < count; ++i) sink.put(ids[i]);
  return Status::ok;
}

// A word of which a part is unknown is one unknown token.  s: unknown, longest_word,
// inner_prefix().
template <class S>
Status add_word_pieces(S s, const PrefixTree& tree, const Text& word, TokenSink& sink) {
  const std::size_t before = sink.count;
  if (each_word_piece(s, tree, s.inner_prefix(), word, [&](std::int32_t id) { sink.put(id); }))
    return Status::ok;
  sink.count = before;
  sink.put(s.unknown);
  return Status::ok;
}

// s: unknown, -1 where an unknown word is none.
template <class S>
Status add_word(S s, const PrefixTree& tree, const Text& word, TokenSink& sink) {
  const std::int32_t id = number_of(tree, word);
  if (id >= 0)
    sink.put(id);
  else if (s.unknown >= 0)
    sink.put(s.unknown);
  return Status::ok;
}

// What is unknown becomes its bytes with `byte_fallback`, if all of them have pieces, else one
// token.  s: unknown, byte_fallback.
template <class S>
Status add_unigram(S s, const UnigramModel& model, const Text& word, UnigramPath* paths,
                   TokenSink& sink) {
  Status status = Status::ok;
  each_unigram(model, word, paths, [&](std::int32_t piece, const Text& x) {
    if (piece >= 0) return sink.put(piece);
    bool known = s.byte_fallback;
    for (std::int64_t i = 0; i < x.size; ++i)
      known = known && model.bytes[static_cast<std::uint8_t>(x.data[i])] >= 0;
    if (known) {
      for (std::int64_t i = 0; i < x.size; ++i)
        sink.put(model.bytes[static_cast<std::uint8_t>(x.data[i])]);
    } else if (s.unknown >= 0) {
      sink.put(s.unknown);
    } else {
      status = Status::bad_value;
    }
  });
  return status;
}

}  // namespace onnxc

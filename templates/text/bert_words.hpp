// bert_words.hpp - the words of a text as BERT divides it.
#pragma once

#include <cstdint>

#include "runtime_min/heap.hpp"
#include "runtime_min/text.hpp"
#include "templates/text/normal_form.hpp"
#include "templates/text/rewrite.hpp"

namespace onnxc {

// Tables for texts; forms: NFD.
struct BertTables {
  NormalFormTable forms;
  CharacterSet marks, control, punctuation;
};

// Calls f(word) for the words of x; they are in memory of the heap, which is kept until its end. s:
// lower, strip_accents, han, punctuation, remove_control.
template <class S, class F>
Status each_bert_word(S s, const BertTables& t, const Text& x, Heap& heap, F f) {
  // NFD makes at most three times the bytes, lower case twice.
  constexpr std::int64_t most = 6;
  const Extent bytes = Extent(x.size) * most + 1;
  char* const first = static_cast<char*>(heap.allocate(bytes));
  char* const second = static_cast<char*>(heap.allocate(bytes));
  if (first == nullptr || second == nullptr) return Status::out_of_memory;
  Text text = x;
  if (s.strip_accents) {
    const Extent points = Extent(x.size) * 4 + 1;
    auto* const memory = static_cast<std::int32_t*>(heap.allocate(points * sizeof(std::int32_t)));
    if (memory == nullptr) return Status::out_of_memory;
    text = {first, write_normal_form(t.forms, text, memory, static_cast<Index>(2 * x.size), first)};
    text = {second, write_without(text, t.marks, second) - second};
  }
  if (s.lower) text = {first, write_small_letters(text, first) - first};
  if (s.remove_control) {
    char* const to = text.data == first ? second : first;
    text = {to, write_clean(text, t.control, to) - to};
  }
  Text word{text.data, 0};
  const auto end_word = [&] {
    if (word.size > 0) f(word);
  };
  each_character(text, [&](std::int32_t c, const Text& character) {
    const bool alone = (s.han && is_ideograph(c)) || (s.punctuation && contains(t.punctuation, c));
    if (!alone && !is_white_space(c)) {
      word.size += character.size;
      return;
    }
    end_word();
    if (alone) f(character);
    word = {character.data + character.size, 0};
  });
  end_word();
  return Status::ok;
}

// x: one string; extents: the number of its words.
template <class S>
Status bert_words_extents(S s, const Text* x, BertTables tables, Heap& heap, Index* extents) {
  extents[0] = 0;
  return each_bert_word(s, tables, *x, heap, [&](const Text&) { ++extents[0]; });
}

// y: as many words as bert_words_extents found.
template <class S>
Status bert_words(S s, const Text* x, BertTables tables, Text* y, Heap& heap) {
  return each_bert_word(s, tables, *x, heap, [&](const Text& word) { *y++ = word; });
}

}  // namespace onnxc

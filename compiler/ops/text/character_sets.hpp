// Sets of characters as kernels read them.
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "compiler/ops/text/unicode.hpp"

namespace onnxc::ops {

// See templates/text/rewrite.hpp.
struct CharacterSetTable {
  std::vector<std::int32_t> words;
  std::int32_t ranges = 0;
};

CharacterSetTable character_set(std::vector<CharacterRange> ranges);
CharacterSetTable set_of_categories(std::initializer_list<std::string_view> categories);

// What BERT takes as punctuation: that of Unicode and all of ASCII that is not a letter or digit.
std::vector<CharacterRange> bert_punctuation();
// What it removes: control and format characters, unless they are white space.
CharacterSetTable bert_control();

}  // namespace onnxc::ops

// A tokenizer as generated code has it: steps that change and divide a text, a model that maps
// words to token ids, and what maps token ids to text.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ops/text/character_sets.hpp"
#include "compiler/ops/text/regex.hpp"
#include "compiler/ops/text/token_model.hpp"
#include "compiler/ops/text/unicode.hpp"

namespace onnxc::ops {

// What a file holds that is wrong or not supported; the message names the place.
struct TokenizerError : std::runtime_error {
  TokenizerError(const std::string& where, const std::string& what)
      : std::runtime_error(where + ": " + what) {}
};

using TextRules = std::vector<std::pair<std::string, std::string>>;  // what, and by what

struct TextStep {
  enum class Kind : std::uint8_t {
    normal_form,
    small_letters,
    clean,      // no control characters, blanks for white space
    separated,  // blanks around ideographs
    without,    // the characters of a set
    replace,    // a string, or what a pattern matches
    map,        // clusters and characters by rules
    prepend,
    strip,
    split,
    added,  // words of their own
  };
  Kind kind = Kind::split;
  NormalForm form = NormalForm::nfc;
  CharacterSetTable set;                          // without
  std::string from, to;                           // replace; prepend: to
  TextRules rules;                                // map
  RegexProgram program;                           // split; replace where it has steps
  std::string_view behavior;                      // split: an enumerator of SplitBehavior
  bool inverted = false;                          // split
  bool left = false, right = false;               // strip
  bool only_first = false, unless_there = false;  // prepend
};

// A word that is a token by itself.
struct AddedToken {
  std::string text;
  std::int32_t id = 0;
  bool blanks_before = false, blanks_after = false;  // takes the white space next to it
};

struct TokenDecoder {
  std::vector<std::string> pieces;
  std::vector<std::uint8_t> bits;   // PieceBits
  std::string blank;                // what stands for a blank in the pieces
  bool words = false;               // pieces are words but where a bit says that they go on
  bool drops_first_blanks = false;  // the blanks of the first piece
  std::int64_t strip = 0;           // blanks at the start of the text that go
};

struct Tokenizer {
  std::vector<AddedToken> added, added_later;  // before the steps, and at Kind::added
  std::vector<TextStep> steps;
  TokenModel model;
  std::vector<std::int32_t> before, after;  // around a text
  std::int64_t max_tokens = 0;              // 0: any number
  TokenDecoder decoder;
};

// Reads tokenizer.json of Hugging Face. Throws TokenizerError.
Tokenizer read_tokenizer(std::string_view json);

}  // namespace onnxc::ops

// Builds sets of characters.
#include "compiler/ops/text/character_sets.hpp"

#include "compiler/ops/text/regex_syntax.hpp"

namespace onnxc::ops {
namespace {

std::vector<CharacterRange> all_of(std::initializer_list<std::string_view> categories) {
  std::vector<CharacterRange> out;
  for (std::string_view category : categories) {
    const std::vector<CharacterRange> more = characters_of(category);
    out.insert(out.end(), more.begin(), more.end());
  }
  return out;
}

}  // namespace

CharacterSetTable character_set(std::vector<CharacterRange> ranges) {
  regex::Set set;
  set.add(ranges);
  set.sort();
  return {set.words(), set.count()};
}

CharacterSetTable set_of_categories(std::initializer_list<std::string_view> categories) {
  return character_set(all_of(categories));
}

std::vector<CharacterRange> bert_punctuation() {
  std::vector<CharacterRange> out = all_of({"P"});
  out.insert(out.end(), {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}});
  return out;
}

CharacterSetTable bert_control() {
  std::vector<CharacterRange> out = all_of({"Cf", "Co", "Cs"});
  out.insert(out.end(), {{0, 8}, {11, 12}, {14, 31}, {0x7F, 0x9F}});
  return character_set(out);
}

}  // namespace onnxc::ops

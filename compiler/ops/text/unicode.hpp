// Facts about characters, from the tables of one version of Unicode.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace onnxc::ops {

using CharacterRange = std::pair<std::int32_t, std::int32_t>;  // both included

// Those of a general category, "L" or "Lu", in order; empty where there is no such category.
std::vector<CharacterRange> characters_of(std::string_view category);
// White_Space.
std::vector<CharacterRange> white_space();

// What templates/text/normal_form.hpp reads.
struct NormalFormTables {
  // Characters that decompose, in order, and where their parts begin in `parts`.
  std::vector<std::int32_t> keys, begins, parts;
  std::vector<std::int32_t> classes;   // combining classes: first, last, class
  std::vector<std::int32_t> composed;  // pairs that compose: first, second, what they make
};

enum class NormalForm : std::uint8_t { nfc, nfd, nfkc, nfkd };

NormalFormTables normal_form_tables(NormalForm form);

}  // namespace onnxc::ops

// Reads the tables of Unicode that tests/text/tables.py writes.
#include "compiler/ops/text/unicode.hpp"

#include <algorithm>
#include <map>

namespace onnxc::ops {
namespace {

// From first on places have the categories even, odd, even, ...
struct CategoryRow {
  std::int32_t first, last;
  std::string_view even, odd;
};
constexpr CategoryRow kCategories[] = {
#include "compiler/ops/text/unicode_categories.inc"
};
// One after another: character, whether canonical, number of parts, parts.
constexpr std::int32_t kDecompositions[] = {
#include "compiler/ops/text/unicode_decompositions.inc"
};
constexpr std::int32_t kExcluded[] = {
#include "compiler/ops/text/unicode_excluded.inc"
};
struct ClassRow {
  std::int32_t first, last, combining_class;
};
constexpr ClassRow kClasses[] = {
#include "compiler/ops/text/unicode_classes.inc"
};

void add(std::vector<CharacterRange>& ranges, std::int32_t first, std::int32_t last) {
  if (!ranges.empty() && ranges.back().second + 1 == first)
    ranges.back().second = last;
  else
    ranges.emplace_back(first, last);
}

using Parts = std::vector<std::int32_t>;

struct Steps {
  std::map<std::int32_t, Parts> canonical, any;
};

Steps read_steps() {
  Steps steps;
  for (const std::int32_t* p = kDecompositions; p < std::end(kDecompositions); p += 3 + p[2]) {
    const Parts parts(p + 3, p + 3 + p[2]);
    if (p[1] != 0) steps.canonical[p[0]] = parts;
    steps.any[p[0]] = parts;
  }
  return steps;
}

// Parts are in turn decomposed; the table has no cycles.
void append(Parts& out, const std::map<std::int32_t, Parts>& steps, std::int32_t c) {
  const auto step = steps.find(c);
  if (step == steps.end()) return out.push_back(c);
  for (std::int32_t part : step->second) append(out, steps, part);
}

bool is_excluded(std::int32_t c) {
  return std::find(std::begin(kExcluded), std::end(kExcluded), c) != std::end(kExcluded);
}

}  // namespace

std::vector<CharacterRange> characters_of(std::string_view category) {
  std::vector<CharacterRange> out;
  for (const CategoryRow& row : kCategories) {
    const bool even = row.even.starts_with(category), odd = row.odd.starts_with(category);
    if (even && odd)
      add(out, row.first, row.last);
    else if (even || odd)
      for (std::int32_t c = row.first + (even ? 0 : 1); c <= row.last; c += 2) add(out, c, c);
  }
  return out;
}

std::vector<CharacterRange> white_space() {
  return {{'\t', '\r'},     {' ', ' '},       {0x85, 0x85},     {0xA0, 0xA0},     {0x1680, 0x1680},
          {0x2000, 0x200A}, {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}};
}

NormalFormTables normal_form_tables(NormalForm form) {
  const Steps steps = read_steps();
  const bool compatible = form == NormalForm::nfkc || form == NormalForm::nfkd;
  const bool composes = form == NormalForm::nfc || form == NormalForm::nfkc;
  NormalFormTables out;
  const std::map<std::int32_t, Parts>& used = compatible ? steps.any : steps.canonical;
  for (const auto& [c, parts] : used) {
    out.keys.push_back(c);
    out.begins.push_back(static_cast<std::int32_t>(out.parts.size()));
    append(out.parts, used, c);
  }
  out.begins.push_back(static_cast<std::int32_t>(out.parts.size()));
  for (const ClassRow& row : kClasses)
    out.classes.insert(out.classes.end(), {row.first, row.last, row.combining_class});
  if (!composes) return out;
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> pairs;
  for (const auto& [c, parts] : steps.canonical)
    if (parts.size() == 2 && !is_excluded(c)) pairs[{parts[0], parts[1]}] = c;
  for (const auto& [pair, c] : pairs)
    out.composed.insert(out.composed.end(), {pair.first, pair.second, c});
  return out;
}

}  // namespace onnxc::ops

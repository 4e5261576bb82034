// Extracts the rules of a trie, and determines what makes clusters of characters.
#include "compiler/tokenizer/precompiled_map.hpp"

#include <algorithm>
#include <string_view>

#include "compiler/support/base64.hpp"
#include "compiler/support/utf8.hpp"

namespace onnxc::ops {
namespace {

// A word of the trie: the byte that leads to it, where its children are, and whether the child of
// byte 0 is the number of a text.
class Unit {
 public:
  explicit Unit(std::uint32_t word) : word_(word) {}
  bool is_child(std::uint32_t byte) const { return (word_ & 0x800000FFu) == byte; }
  bool has_value() const { return (word_ >> 8 & 1) != 0; }
  std::uint32_t offset() const { return word_ >> 10 << ((word_ >> 9 & 1) * 8); }
  std::uint32_t value() const { return word_ & 0x7FFFFFFFu; }

 private:
  std::uint32_t word_;
};

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

class RuleReader {
 public:
  RuleReader(const TokenizerField& field, std::string_view bytes) : field_(field) {
    if (bytes.size() < 4) field.fail("is too short");
    const std::uint32_t size = word_at(bytes, 0);
    if (size % 4 != 0 || size == 0 || size > bytes.size() - 4)
      field.fail("has a trie of a wrong size");
    for (std::size_t at = 4; at < 4 + size; at += 4) units_.emplace_back(word_at(bytes, at));
    texts_ = bytes.substr(4 + size);
    seen_.resize(units_.size());
  }

  TextRules run() {
    std::string key;
    visit(units_[0].offset(), key);
    return std::move(rules_);
  }

 private:
  static std::uint32_t word_at(std::string_view bytes, std::size_t at) {
    std::uint32_t word = 0;
    for (std::size_t i = 4; i-- > 0;) word = word << 8 | static_cast<unsigned char>(bytes[at + i]);
    return word;
  }

  // The children of a node are at `base` ^ their byte.
  void visit(std::uint32_t base, std::string& key) {
    if (key.size() > kLongestKey) field_.fail("has a rule for a text of more than 255 bytes");
    for (std::uint32_t byte = 1; byte < 256; ++byte) {
      const std::size_t at = base ^ byte;
      if (at >= units_.size() || !units_[at].is_child(byte)) continue;
      if (seen_[at]) field_.fail("has a trie in which two ways meet");
      seen_[at] = true;
      key.push_back(static_cast<char>(byte));
      const std::uint32_t below = static_cast<std::uint32_t>(at) ^ units_[at].offset();
      if (units_[at].has_value())
        add(below, key);
      else
        visit(below, key);
      key.pop_back();
    }
  }

  void add(std::size_t at, const std::string& key) {
    const std::size_t begin = at < units_.size() ? units_[at].value() : texts_.size();
    if (begin >= texts_.size()) field_.fail("has a rule without a text");
    std::string text(texts_.substr(begin, texts_.find('\0', begin) - begin));
    if (!is_utf8(key) || !is_utf8(text)) field_.fail("has a rule that is no UTF-8");
    rules_.emplace_back(key, std::move(text));
  }

  static constexpr std::size_t kLongestKey = 255;
  const TokenizerField& field_;
  std::vector<Unit> units_;
  std::string_view texts_;
  std::vector<bool> seen_;
  TextRules rules_;
};

using Ranges = std::vector<CharacterRange>;

// Other_Grapheme_Extend, the joiner, and modifiers of emoji.
constexpr CharacterRange kExtends[] = {
    {0x09BE, 0x09BE},   {0x09D7, 0x09D7},   {0x0B3E, 0x0B3E},   {0x0B57, 0x0B57},
    {0x0BBE, 0x0BBE},   {0x0BD7, 0x0BD7},   {0x0CC2, 0x0CC2},   {0x0CD5, 0x0CD6},
    {0x0D3E, 0x0D3E},   {0x0D57, 0x0D57},   {0x0DCF, 0x0DCF},   {0x0DDF, 0x0DDF},
    {0x0E33, 0x0E33},   {0x0EB3, 0x0EB3},   {0x1B35, 0x1B35},   {0x200C, 0x200D},
    {0x302E, 0x302F},   {0xFF9E, 0xFF9F},   {0x1133E, 0x1133E}, {0x11357, 0x11357},
    {0x114B0, 0x114B0}, {0x114BD, 0x114BD}, {0x115AF, 0x115AF}, {0x11930, 0x11930},
    {0x1D165, 0x1D165}, {0x1D16E, 0x1D172}, {0x1F3FB, 0x1F3FF}, {0xE0020, 0xE007F}};
// Of category Mc, but no SpacingMark.
constexpr CharacterRange kNoSpacingMarks[] = {
    {0x102B, 0x102C}, {0x1038, 0x1038}, {0x1062, 0x1064},  {0x1067, 0x106D}, {0x1083, 0x1083},
    {0x1087, 0x108C}, {0x108F, 0x108F}, {0x109A, 0x109C},  {0x1A61, 0x1A61}, {0x1A63, 0x1A64},
    {0xAA7B, 0xAA7B}, {0xAA7D, 0xAA7D}, {0x11720, 0x11721}};
constexpr CharacterRange kPrepends[] = {{0x0600, 0x0605},   {0x06DD, 0x06DD},   {0x070F, 0x070F},
                                        {0x0890, 0x0891},   {0x08E2, 0x08E2},   {0x0D4E, 0x0D4E},
                                        {0x110BD, 0x110BD}, {0x110CD, 0x110CD}, {0x111C2, 0x111C3},
                                        {0x1193F, 0x1193F}, {0x11941, 0x11941}, {0x11A3A, 0x11A3A},
                                        {0x11A84, 0x11A89}, {0x11D46, 0x11D46}};

bool is_in(std::int32_t c, const CharacterRange* begin, const CharacterRange* end) {
  return std::any_of(begin, end, [c](const auto& r) { return r.first <= c && c <= r.second; });
}

Ranges of(std::initializer_list<std::string_view> categories) {
  Ranges out;
  for (std::string_view category : categories) {
    const Ranges more = characters_of(category);
    out.insert(out.end(), more.begin(), more.end());
  }
  return out;
}

template <class Test>
Ranges without(const Ranges& ranges, Test test) {
  Ranges out;
  for (const auto& [first, last] : ranges)
    for (std::int32_t c = first; c <= last; ++c)
      if (!test(c)) out.emplace_back(c, c);
  return out;
}

}  // namespace

TextRules read_precompiled_map(const TokenizerField& field) {
  std::string bytes;
  if (decode_base64(field.text(), bytes)) field.fail("is no base64");
  return RuleReader(field, bytes).run();
}

ClusterSets cluster_sets() {
  Ranges joins = without(of({"Mc"}), [](std::int32_t c) {
    return is_in(c, std::begin(kNoSpacingMarks), std::end(kNoSpacingMarks));
  });
  const Ranges marks = of({"Mn", "Me"});
  joins.insert(joins.end(), marks.begin(), marks.end());
  joins.insert(joins.end(), std::begin(kExtends), std::end(kExtends));
  const Ranges alone = without(of({"Cc", "Cf", "Zl", "Zp"}), [](std::int32_t c) {
    return is_in(c, std::begin(kExtends), std::end(kExtends)) ||
           is_in(c, std::begin(kPrepends), std::end(kPrepends));
  });
  return {character_set(joins), character_set({std::begin(kPrepends), std::end(kPrepends)}),
          character_set(alone)};
}

}  // namespace onnxc::ops

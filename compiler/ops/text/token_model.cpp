// Pieces that stand for bytes, and the tables of rules.
#include "compiler/ops/text/token_model.hpp"

#include <algorithm>
#include <charconv>

#include "templates/text/code_point.hpp"

namespace onnxc::ops {

bool as_bytes(const std::string& piece, std::string& bytes) {
  static const std::map<std::string, char> alphabet = [] {
    std::map<std::string, char> out;
    int byte = 0;
    for (const std::string& character : byte_alphabet())
      out.emplace(character, static_cast<char>(byte++));
    return out;
  }();
  for (const char *p = piece.data(), *end = p + piece.size(); p < end;) {
    const auto size = static_cast<std::size_t>(code_point_at(p, end).bytes);
    const auto byte = alphabet.find(std::string(p, size));
    if (byte == alphabet.end()) return false;
    bytes += byte->second;
    p += size;
  }
  return true;
}

std::optional<std::uint8_t> byte_of(const std::string& piece) {
  unsigned byte = 0;  // a sign is no digit
  if (piece.size() != 6 || piece.substr(0, 3) != "<0x" || piece[5] != '>') return std::nullopt;
  const auto [end, error] = std::from_chars(piece.data() + 3, piece.data() + 5, byte, 16);
  if (error != std::errc() || end != piece.data() + 5) return std::nullopt;
  return static_cast<std::uint8_t>(byte);
}

void TokenModel::set_byte_pieces(const PieceNumbers& numbers) {
  bytes.clear();
  const auto add_bytes = [&](const std::string& mark) {
    for (const std::string& byte : byte_alphabet()) {
      const auto found = numbers.find(byte + mark);
      bytes.push_back(found == numbers.end() ? -1 : found->second);
    }
  };
  add_bytes("");
  if (!word_end.empty()) add_bytes(word_end);
  words.clear();
  for (const auto& [piece, number] : numbers) {
    std::string text;
    if (as_bytes(piece, text)) words.emplace_back(text, number);
  }
}

PairRuleTables TokenModel::rule_tables() const {
  std::int32_t most = 0;
  for (const PairRule& r : rules) most = std::max({most, r.left, r.right, r.joined});
  for (const auto& [word, id] : words) most = std::max(most, id);
  return pair_rules(rules, most + 1);
}

}  // namespace onnxc::ops

// Builds the tables of vocabularies and merges.
#include "compiler/ops/text/vocabulary.hpp"

#include <algorithm>
#include <map>

#include "templates/text/code_point.hpp"

namespace onnxc::ops {

PrefixTreeTables prefix_tree(Vocabulary words) {
  std::stable_sort(words.begin(), words.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  struct Node {
    std::size_t begin, end, depth;  // the words below it, and the bytes that they share
  };
  PrefixTreeTables out;
  std::vector<Node> nodes = {{0, words.size(), 0}};
  out.byte.push_back(0);
  // In the order of depth, so that the children of a node follow those of the node before it.
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    Node n = nodes[k];
    out.child.push_back(static_cast<std::int32_t>(nodes.size()));
    std::int32_t value = -1;
    for (; n.begin < n.end && words[n.begin].first.size() == n.depth; ++n.begin)
      value = k == 0 ? -1 : words[n.begin].second;
    out.value.push_back(value);
    while (n.begin < n.end) {
      const char byte = words[n.begin].first[n.depth];
      std::size_t end = n.begin;
      while (end < n.end && words[end].first[n.depth] == byte) ++end;
      nodes.push_back({n.begin, end, n.depth + 1});
      out.byte.push_back(static_cast<std::uint8_t>(byte));
      n.begin = end;
    }
  }
  out.child.push_back(static_cast<std::int32_t>(nodes.size()));
  return out;
}

PairRuleTables pair_rules(const std::vector<PairRule>& rules, std::int32_t pieces) {
  std::map<std::pair<std::int32_t, std::int32_t>, std::pair<std::int32_t, std::int32_t>> sorted;
  std::int32_t rank = 0;
  for (const PairRule& r : rules)
    sorted.emplace(std::pair(r.left, r.right), std::pair(rank++, r.joined));
  PairRuleTables out;
  auto at = sorted.begin();
  for (std::int32_t left = 0; left <= pieces; ++left) {
    out.begin.push_back(static_cast<std::int32_t>(out.rules.size() / 3));
    for (; at != sorted.end() && at->first.first == left; ++at)
      out.rules.insert(out.rules.end(), {at->first.second, at->second.first, at->second.second});
  }
  return out;
}

std::vector<std::string> byte_alphabet() {
  std::vector<std::string> out;
  std::int32_t other = 256;
  for (std::int32_t byte = 0; byte < 256; ++byte) {
    const bool printable = (byte > ' ' && byte < 0x7F) || (byte > 0xA0 && byte != 0xAD);
    char text[4];
    out.emplace_back(text, put_code_point(text, printable ? byte : other++));
  }
  return out;
}

}  // namespace onnxc::ops

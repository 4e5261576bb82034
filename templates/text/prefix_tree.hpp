// prefix_tree.hpp - a vocabulary as a tree of bytes, in read-only memory.
#pragma once

#include <cstdint>

#include "runtime_min/text.hpp"

namespace onnxc {

// Node 0 is the empty string. The children of node k are [child[k], child[k + 1]), in the order of
// their bytes; value: the string's number, -1 where the node is not a string of the vocabulary.
struct PrefixTree {
  const std::int32_t* child;
  const std::uint8_t* byte;
  const std::int32_t* value;
};

// -1 where no string of the vocabulary continues with that byte.
inline std::int32_t child_of(const PrefixTree& tree, std::int32_t node, char c) {
  const auto wanted = static_cast<std::uint8_t>(c);
  std::int32_t low = tree.child[node], high = tree.child[node + 1];
  if (high - low > 128 && wanted < high - low && tree.byte[low + wanted] == wanted)
    return low + wanted;
  while (low < high) {
    const std::int32_t middle = low + (high - low) / 2;
    const std::uint8_t have = tree.byte[middle];
    if (have == wanted) return middle;
    if (have < wanted)
      low = middle + 1;
    else
      high = middle;
  }
  return -1;
}

// The node of a string below another one, -1 where there is none.
inline std::int32_t node_of(const PrefixTree& tree, std::int32_t node, const Text& x) {
  for (std::int64_t i = 0; i < x.size && node >= 0; ++i) node = child_of(tree, node, x.data[i]);
  return node;
}

// The number of a string, -1 where it is not in the vocabulary.
inline std::int32_t number_of(const PrefixTree& tree, const Text& x) {
  const std::int32_t node = node_of(tree, 0, x);
  return node < 0 ? -1 : tree.value[node];
}

// The longest string of the vocabulary that begins like x, below a node.
struct LongestPrefix {
  std::int32_t value;  // -1: there is none
  std::int64_t bytes;
};
inline LongestPrefix longest_prefix(const PrefixTree& tree, std::int32_t node, const Text& x) {
  LongestPrefix longest{-1, 0};
  for (std::int64_t i = 0; i < x.size && node >= 0; ++i) {
    node = child_of(tree, node, x.data[i]);
    if (node >= 0 && tree.value[node] >= 0) longest = {tree.value[node], i + 1};
  }
  return longest;
}

}  // namespace onnxc

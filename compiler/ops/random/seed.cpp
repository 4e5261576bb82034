// The stream of a node: a hash of its output name.
#include "compiler/ops/random/seed.hpp"

namespace onnxc::ops {

// FNV-1a.
std::int64_t stream_of_name(const NodeView& n) {
  std::size_t first = 0;
  while (!n.has_output(first)) ++first;
  std::uint32_t hash = 2166136261u;
  for (const char c : n.output_value(first).name)
    hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash & 0x7fffffffu;
}

}  // namespace onnxc::ops

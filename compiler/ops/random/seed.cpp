// The stream of a node: a hash of its output name.
#include "compiler/ops/random/seed.hpp"

namespace onnxc::ops {

namespace {

constexpr const char* kStream = "stream";

}  // namespace

// FNV-1a.
std::int64_t stream_of_name(const NodeView& n) {
  if (const Attribute* kept = n.node().find(kStream)) return std::get<std::int64_t>(*kept);
  std::size_t first = 0;
  while (!n.has_output(first)) ++first;
  std::uint32_t hash = 2166136261u;
  for (const char c : n.output_value(first).name)
    hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash & 0x7fffffffu;
}

void keep_stream(Node& node) {
  if (node.op->draws) node.attributes.emplace(kStream, stream_of_name(NodeView(node)));
  each_subgraph(node, keep_streams);
}

void keep_streams(Graph& graph) {
  for (auto& node : graph.nodes) keep_stream(*node);
}

}  // namespace onnxc::ops

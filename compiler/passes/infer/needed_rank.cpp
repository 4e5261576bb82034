// The rank that the readers of a value need.
#include "compiler/ir/op.hpp"
#include "compiler/passes/infer/infer.hpp"

namespace onnxc::passes {
namespace {

constexpr int kLongestChain = 16;

std::optional<std::size_t> needed_by(const Node& reader, int depth);

std::optional<std::size_t> needed(const Value& v, const Graph* graph, int depth) {
  if (v.type.is_tensor() && v.type.shape) return v.type.rank();
  if (depth == 0) return std::nullopt;
  // Nodes of a body run only where the body does.
  for (const Use& use : v.users())
    if (use.node && use.node->graph == graph && use.index == 0)
      if (const auto rank = needed_by(*use.node, depth - 1)) return rank;
  return std::nullopt;
}

// The rank of its first input.
std::optional<std::size_t> needed_by(const Node& reader, int depth) {
  if (reader.op->name == "Transpose")
    if (const Attribute* perm = reader.find("perm"))
      return std::get<std::vector<std::int64_t>>(*perm).size();
  const std::string_view name = reader.op->name;
  const bool elementwise = name == "Identity" || name == "Cast" || name == "CastLike" ||
                           (reader.op->scalar && reader.inputs.size() == 1);
  if (!elementwise || !reader.outputs[0]) return std::nullopt;
  return needed(*reader.outputs[0], reader.graph, depth);
}

}  // namespace

std::optional<std::size_t> needed_rank(const Value& v) {
  if (!v.producer) return std::nullopt;
  return needed(v, v.producer->graph, kLongestChain);
}

}  // namespace onnxc::passes

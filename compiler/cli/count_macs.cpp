#include "compiler/cli/count_macs.hpp"

#include <optional>

#include "compiler/ir/op.hpp"
#include "compiler/support/checked.hpp"

namespace onnxc {
namespace {

enum class Rule {
  weights_per_output,  // convolution: every output element reads one filter
  weights_per_input,   // transposed convolution
  inner_product,       // matrix product: output elements times the common extent
  recurrent,           // every step multiplies by W and R
};

struct Counted {
  std::string_view op;
  Rule rule;
  std::size_t a, b;  // positions of the operands
};
constexpr Counted kCounted[] = {{"Conv", Rule::weights_per_output, 0, 1},
                                {"ConvInteger", Rule::weights_per_output, 0, 1},
                                {"QLinearConv", Rule::weights_per_output, 0, 3},
                                {"DeformConv", Rule::weights_per_output, 0, 1},
                                {"ConvTranspose", Rule::weights_per_input, 0, 1},
                                {"Gemm", Rule::inner_product, 0, 1},
                                {"MatMul", Rule::inner_product, 0, 1},
                                {"MatMulInteger", Rule::inner_product, 0, 1},
                                {"QLinearMatMul", Rule::inner_product, 0, 3},
                                {"LSTM", Rule::recurrent, 1, 2},
                                {"GRU", Rule::recurrent, 1, 2},
                                {"RNN", Rule::recurrent, 1, 2}};

using Extents = std::vector<std::int64_t>;

std::optional<Extents> extents(const Value* v) {
  if (!v || !v->type.is_static()) return std::nullopt;
  return fixed(*v->type.shape);
}

std::int64_t tail_product(const Extents& dims, std::size_t first) {
  if (first > dims.size()) return 0;
  return checked_product(std::span(dims).subspan(first));
}

std::optional<std::int64_t> inner_product(const Node& node, const Counted& counted) {
  const auto a = extents(node.inputs[counted.a]), out = extents(node.outputs[0]);
  if (!a || !out || a->empty()) return std::nullopt;
  const Attribute* trans = node.find("transA");
  const bool transposed = trans && std::get<std::int64_t>(*trans) != 0;
  return checked_mul(tail_product(*out, 0), transposed ? a->front() : a->back());
}

// Nullopt when a shape is not known.
std::optional<std::int64_t> macs_of(const Node& node, const Counted& counted) {
  if (node.inputs.size() <= std::max(counted.a, counted.b) || node.outputs.empty())
    return std::nullopt;
  if (counted.rule == Rule::inner_product) return inner_product(node, counted);
  const auto x = extents(node.inputs[0]), a = extents(node.inputs[counted.a]),
             b = extents(node.inputs[counted.b]);
  if (!x || !a || !b) return std::nullopt;
  if (counted.rule == Rule::weights_per_input)
    return checked_mul(tail_product(*x, 0), tail_product(*b, 1));
  if (counted.rule == Rule::recurrent) {
    if (x->size() != 3) return std::nullopt;
    const std::int64_t weights = checked_add(tail_product(*a, 0), tail_product(*b, 0));
    return checked_mul(checked_mul((*x)[0], (*x)[1]), weights);
  }
  const auto out = extents(node.outputs[0]);
  if (!out) return std::nullopt;
  return checked_mul(tail_product(*out, 0), tail_product(*b, 1));
}

void count(const Node& node, MacCount& total) {
  for (const Counted& counted : kCounted) {
    if (node.op->name != counted.op || !node.op->domain.empty()) continue;
    try {
      const auto macs = macs_of(node, counted);
      if (macs)
        total.macs = checked_add(total.macs, *macs);
      else
        total.complete = false;
    } catch (const OverflowError&) {
      total.complete = false;
    }
  }
  for (const auto& [name, attribute] : node.attributes)
    if (const auto* body = std::get_if<std::shared_ptr<Graph>>(&attribute)) {
      const MacCount inside = count_macs(**body);
      if (inside.macs > 0 || !inside.complete) total.complete = false;
    }
}

}  // namespace

MacCount count_macs(const Graph& graph) {
  MacCount total;
  for (const auto& node : graph.nodes)
    if (node->op) count(*node, total);
  return total;
}

}  // namespace onnxc

// Shared by element-wise operators of every family: inference, layout, lowering, old attributes,
// literals.
#pragma once

#include "compiler/ops/axes.hpp"
#include "compiler/ops/contents.hpp"
#include "compiler/ops/fold.hpp"
#include "compiler/ops/gradient.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/ops/upgrade.hpp"

namespace onnxc::ops {

void infer_unary(Infer& n);  // output 0 has input 0's type and shape
// infer_broadcast; where integer contents are known, the result has f of them.
template <auto f>
void infer_arithmetic(Infer& n) {
  infer_broadcast(n);
  if (n.input_count() == 2)
    propagate_contents(n, [](const Dim& a, const Dim& b) { return f(a, b); });
}
// infer_broadcast; where contents are known, the result has f of them, which selects one of two.
template <auto f>
void infer_selection(Infer& n) {
  infer_broadcast(n);
  if (n.input_count() == 2)
    propagate_selection(n, [](const Dim& a, const Dim& b) { return f(a, b); });
}
// Of Max and Min: equals share the derivative; with the attribute kFirstWins, which only upgrades
// set, it goes to the first operand.
inline constexpr const char* kFirstWins = "first_wins";
void gradient_of_selection(Gradient& n);
LayoutRule layout_elementwise(const Node& node);

// Opsets 1 to 6: `broadcast` and `axis` align the shape of input 1 with axes of input 0.
void upgrade_broadcast(Upgrade& u);
// `consumed_inputs` of opset 1 is a hint about memory.
void upgrade_in_place(Upgrade& u);

inline Literal real_literal(float v) { return {.kind = Literal::Kind::real, .real = v}; }
inline Literal bool_literal(bool v) { return {.kind = Literal::Kind::boolean, .integer = v}; }
inline Literal int_literal(std::int64_t v) { return {.integer = v}; }
inline Literal type_literal(ElemType v) { return {.kind = Literal::Kind::type, .type = v}; }
// A float attribute of a node, also of one made by stand_in, which has no inputs.
float float_of(const Node& node, const std::string& attribute);

// Iteration over broadcast operands in the output's order, with neighbouring axes merged.
struct BroadcastStrides {
  Shape dims;
  std::vector<Shape> strides;  // for each input
  Shape flat() const;          // strides[input * dims.size() + axis]
};
BroadcastStrides broadcast_strides(const Lower& n);

// Element-wise node (op.scalar, or a fused Map) as one `map` call; works for any mix of layouts.
void lower_map(Lower& n);

}  // namespace onnxc::ops

// hoist_shape_ops: a Transpose, Unsqueeze, Squeeze or Reshape after element-wise operators of an
// input of the model moves before them, where it permutes the elements of the input, often
// bytes, and where the operators are next to the layer that they prepare the input for. Requires:
// types. Produces: the same nodes in another order. Leaves alone: results with other readers,
// operands other than one constant for all elements or one along an axis.
#include <algorithm>

#include "compiler/ir/editor.hpp"
#include "compiler/ops/node_view.hpp"
#include "compiler/passes/pass.hpp"

namespace onnxc::passes {
namespace {

using Ints = std::vector<std::int64_t>;

bool is_shape_op(const Node& node) {
  return is_a(&node, "Transpose") || is_a(&node, "Unsqueeze") || is_a(&node, "Squeeze") ||
         is_a(&node, "Reshape");
}

// Another order of the axes moves no element of such a tensor.
bool varies_along_one_axis(const Tensor& t) {
  return std::count_if(t.dims().begin(), t.dims().end(), [](auto d) { return d != 1; }) <= 1;
}

// The one operand that is no constant, if the others broadcast to its shape.
std::optional<std::size_t> data_operand(const Node& node) {
  if (!node.op || !node.op->scalar || node.outputs.size() != 1 || !node.body.empty()) return {};
  std::optional<std::size_t> data;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const Value* const v = node.inputs[i];
    if (!v || (v->constant ? !varies_along_one_axis(*v->constant) : data.has_value())) return {};
    if (!v->constant) data = i;
  }
  if (!data) return {};
  const Type &x = node.inputs[*data]->type, &y = node.outputs[0]->type;
  if (!x.is_tensor() || !x.has_rank() || !y.has_rank() || *x.shape != *y.shape) return {};
  return data;
}

bool is_input(const Graph& graph, const Value* v) {
  while (v->producer && v->producer->graph == &graph && is_shape_op(*v->producer) &&
         producer_for_one(*v))
    v = v->producer->inputs[0];
  return std::find(graph.inputs.begin(), graph.inputs.end(), v) != graph.inputs.end();
}

// The element-wise nodes between an input of the model and `v`, the last one first; empty if there
// are others.
std::vector<Node*> chain_from_input(const Graph& graph, const Value* v) {
  std::vector<Node*> chain;
  while (!is_input(graph, v)) {
    Node* const node = producer_for_one(*v);
    const auto data = node && node->graph == &graph ? data_operand(*node) : std::nullopt;
    if (!data) return {};
    chain.push_back(node);
    v = node->inputs[*data];
  }
  return chain;
}

Ints permutation(const Node& transpose) {
  if (const auto* perm = ops::NodeView(transpose).find_ints("perm")) return *perm;
  Ints reversed;
  for (std::size_t i = transpose.outputs[0]->type.rank(); i-- > 0;)
    reversed.push_back(static_cast<std::int64_t>(i));
  return reversed;
}

// The shape that the result of the node has where its input has the dims `from`, which broadcast to
// those of its input and have the same rank; nullopt where there is none.
template <class T>
std::optional<std::vector<T>> shape_after(const Node& node, const std::vector<T>& from) {
  const std::size_t rank = node.outputs[0]->type.rank();
  std::vector<T> to;
  if (is_a(&node, "Transpose")) {
    for (const std::int64_t p : permutation(node)) to.push_back(from[static_cast<std::size_t>(p)]);
    return to;
  }
  if (!is_a(&node, "Unsqueeze")) return std::nullopt;
  const auto axes = ops::NodeView(node).ints(1);
  if (!axes) return std::nullopt;
  to.assign(rank, T(1));
  std::vector<bool> added(rank, false);
  for (const std::int64_t axis : *axes)
    added[static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis)] =
        true;
  for (std::size_t i = 0, at = 0; i < rank; ++i)
    if (!added[i]) to[i] = from[at++];
  return to;
}

// The dims of a constant operand of element-wise nodes after the shape operator.
std::optional<Ints> constant_dims(const Node& node, const Tensor& t) {
  if (t.size() == 1) return Ints{};
  const std::size_t rank = node.inputs[0]->type.rank();
  Ints dims(rank - t.dims().size(), 1);  // as broadcasting does
  dims.insert(dims.end(), t.dims().begin(), t.dims().end());
  return shape_after(node, dims);
}

bool can_hoist(const Node& node, const std::vector<Node*>& chain) {
  for (const Node* in_front : chain)
    for (const Value* v : in_front->inputs)
      if (v->constant && !constant_dims(node, *v->constant)) return false;
  for (std::size_t i = 1; i < node.inputs.size(); ++i)
    if (!node.inputs[i] || !node.inputs[i]->constant) return false;
  return true;
}

// The node goes before the chain and gets its place in the order of the nodes.
void hoist(GraphEditor& editor, Node& node, const std::vector<Node*>& chain) {
  const Shape shape = *node.outputs[0]->type.shape;
  Node& first = *chain.back();
  Value* const input = first.inputs[*data_operand(first)];
  Type type = input->type;
  type.shape = shape;
  std::vector<Value*> inputs = {input};
  for (std::size_t i = 1; i < node.inputs.size(); ++i) inputs.push_back(node.inputs[i]);
  editor.before(first);
  editor.set_provenance(node);
  Value* x = editor.emit(*node.op, inputs, type, node.attributes);
  for (auto it = chain.rbegin(); it != chain.rend(); ++it) {
    Node& changed = **it;
    for (std::size_t i = 0; i < changed.inputs.size(); ++i) {
      const Value& v = *changed.inputs[i];
      if (!v.constant) {
        changed.inputs.set(i, x);
      } else if (const Ints dims = *constant_dims(node, *v.constant); dims != v.constant->dims()) {
        changed.inputs.set(i, editor.constant(v.constant->reshaped(dims), v.name));
      }
    }
    x = changed.outputs[0];
    x->type.shape = shape;
  }
  editor.set_output(*chain.front(), 0, node.outputs[0]);
  editor.erase(node);
}

// Unsqueeze(Transpose(x)) is Transpose(Unsqueeze(x)), with the new axes in front: the convolution
// that reads the result reads x, channels last.
void unsqueeze_first(GraphEditor& editor, Node& node, Node& transpose) {
  const Shape &from = *transpose.inputs[0]->type.shape, &to = *node.outputs[0]->type.shape;
  const std::size_t added = to.size() - from.size();
  Ints in_front, perm;
  for (std::size_t i = 0; i < added; ++i) in_front.push_back(static_cast<std::int64_t>(i));
  Ints order = permutation(transpose);
  for (std::int64_t& p : order) p += static_cast<std::int64_t>(added);
  // 0 marks what Unsqueeze adds.
  const auto marks = shape_after(node, Ints(order.size(), 0));
  std::int64_t next = 0;
  std::size_t kept = 0;
  for (const std::int64_t mark : *marks) perm.push_back(mark == 1 ? next++ : order[kept++]);
  Shape shape(added, Dim(1));
  shape.insert(shape.end(), from.begin(), from.end());
  Type type = transpose.inputs[0]->type;
  type.shape = shape;
  Value* x = editor.emit("Unsqueeze", {transpose.inputs[0], editor.ints(in_front)}, type);
  editor.emit_as(node.outputs[0], "Transpose", {x}, {{"perm", perm}});
  editor.erase(node);
}

}  // namespace

void hoist_shape_ops(Graph& graph, PassContext&) {
  GraphEditor editor(graph);
  editor.each([&](Node& node) {
    if (!is_shape_op(node) || !node.outputs[0]->type.has_rank()) return;
    const std::vector<Node*> chain = chain_from_input(graph, node.inputs[0]);
    if (!chain.empty() && can_hoist(node, chain)) hoist(editor, node, chain);
  });
  editor.each([&](Node& node) {
    Node* const before = is_a(&node, "Unsqueeze") ? producer_for_one(*node.inputs[0]) : nullptr;
    if (!before || !is_a(before, "Transpose") || !node.outputs[0]->type.has_rank() ||
        !node.inputs[0]->type.has_rank() || !before->inputs[0]->type.has_rank() ||
        !is_input(graph, node.outputs[0]))
      return;
    if (shape_after<Dim>(node, *node.inputs[0]->type.shape)) unsqueeze_first(editor, node, *before);
  });
}

}  // namespace onnxc::passes

// one_hot_to_gather: the product of one-hot rows and a constant matrix becomes a Gather of its
// rows, which is how embeddings leave frameworks that compare indices with a range, or call OneHot.
// An index outside selects an added row of zeros. Requires: types. Produces: Gather in place of
// MatMul. Leaves alone: indices of float, matrices with values that are not finite, as the zeros of
// the other columns would make them NaN.
#include <algorithm>
#include <cmath>

#include "compiler/ir/editor.hpp"
#include "compiler/ops/node_view.hpp"
#include "compiler/passes/pass.hpp"

namespace onnxc::passes {
namespace {

// Row i of the product is row index[i] of the matrix.
struct OneHotRows {
  Value* index = nullptr;   // of the shape of the product's rows, or with a last dimension of 1
  bool has_column = false;  // that dimension
  bool from_end = false;    // negative indices count from the end
};

bool is_index(const Value* v) {
  return v && v->type.has_rank() &&
         (v->type.elem == ElemType::int32 || v->type.elem == ElemType::int64);
}

// Whether the constant holds 0, 1, ... count - 1 along its last axis.
bool is_range(const Value* v, std::int64_t count) {
  if (!v || !v->constant || !is_index(v) || v->constant->size() != count) return false;
  if (v->type.rank() == 0 || v->constant->dims().back() != count) return false;
  const std::vector<std::int64_t> numbers = v->constant->to_int64s();
  for (std::int64_t i = 0; i < count; ++i)
    if (numbers[static_cast<std::size_t>(i)] != i) return false;
  return true;
}

// Cast(Equal(index, range)), in either order.
std::optional<OneHotRows> match_equal(const Node& cast, std::int64_t depth) {
  const Node* equal = cast.inputs[0]->producer;
  if (!is_a(equal, "Equal")) return {};
  for (const std::size_t i : {0u, 1u}) {
    Value* const index = equal->inputs[i];
    const Value* const range = equal->inputs[1 - i];
    if (is_index(index) && is_range(range, depth) && index->type.rank() >= range->type.rank() &&
        index->type.shape->back() == Dim(1))
      return OneHotRows{index, true, false};
  }
  return {};
}

// OneHot of depth `depth` with values 0 and 1 along the last axis.
std::optional<OneHotRows> match_one_hot(const Node& node, std::int64_t depth) {
  const ops::NodeView n(node);
  if (!is_a(&node, "OneHot") || !is_index(node.inputs[0])) return {};
  const std::size_t rank = node.inputs[0]->type.rank();
  const Tensor* values = n.constant(2);
  if (n.axis(n.attr_int("axis"), rank + 1) != rank || !values) return {};
  const ElemType elem = values->elem();
  if (elem != ElemType::float32 && elem != ElemType::int32 && elem != ElemType::int64) return {};
  if (values->size() != 2 || values->number(0) != 0 || values->number(1) != 1) return {};
  if (node.outputs[0]->type.shape->back() != Dim(depth)) return {};
  return OneHotRows{node.inputs[0], false, true};
}

std::optional<OneHotRows> match_rows(const Value* rows, std::int64_t depth) {
  const Node* node = rows->producer;
  if (!node || !rows->type.has_rank()) return {};
  if (const auto one_hot = match_one_hot(*node, depth)) return one_hot;
  if (!is_a(node, "Cast")) return {};
  const Node* before = node->inputs[0]->producer;
  if (const auto rows_of_equal = match_equal(*node, depth)) return rows_of_equal;
  return before ? match_one_hot(*before, depth) : std::nullopt;
}

bool is_finite(const Tensor& t) {
  const auto values = t.as<float>();
  return std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
}

// The matrix and a row of zeros. The sum of a row has no negative zero.
Tensor with_zero_row(const Tensor& matrix) {
  const auto from = matrix.as<float>();
  std::vector<float> values;
  for (const float v : from) values.push_back(v + 0.0f);
  values.resize(values.size() + static_cast<std::size_t>(matrix.dims()[1]));
  return Tensor::of<float>(ElemType::float32, {matrix.dims()[0] + 1, matrix.dims()[1]}, values);
}

// The row that an index selects: itself, or that of zeros.
Value* row_of(GraphEditor& editor, const OneHotRows& rows, std::int64_t depth) {
  const Type type = rows.index->type;
  const auto number = [&](std::int64_t n) {
    const std::int32_t small[] = {static_cast<std::int32_t>(n)};
    return editor.constant(type.elem == ElemType::int32
                               ? Tensor::of<std::int32_t>(ElemType::int32, {}, small)
                               : Tensor::scalar(n));
  };
  const auto truth = [&](const char* op, Value* a, Value* b) {
    return editor.emit(op, {a, b}, Type::tensor(ElemType::boolean, type.shape));
  };
  // One at a time: compilers differ in the order of arguments.
  Value *const zero = number(0), *const end = number(depth);
  Value* index = rows.index;
  if (rows.from_end) {
    Value* const negative = truth("Less", index, zero);
    Value* const counted = editor.emit("Add", {index, end}, type);
    index = editor.emit("Where", {negative, counted, index}, type);
  }
  Value* const above = truth("GreaterOrEqual", index, zero);
  Value* const below = truth("Less", index, end);
  Value* const inside = truth("And", above, below);
  return editor.emit("Where", {inside, index, end}, type);
}

void rewrite(GraphEditor& editor, Node& product) {
  const Value *left = product.inputs[0], *matrix = product.inputs[1];
  if (!left || !matrix || !matrix->constant || matrix->constant->dims().size() != 2 ||
      matrix->constant->elem() != ElemType::float32 || matrix->users().size() != 1 ||
      left->type.elem != ElemType::float32 || !left->type.has_rank() || left->type.rank() < 2)
    return;
  const std::int64_t depth = matrix->constant->dims()[0];
  const auto rows = match_rows(left, depth);
  if (!rows || !is_finite(*matrix->constant)) return;
  Value* const table = editor.constant(with_zero_row(*matrix->constant), matrix->name + "_rows");
  Value* index = row_of(editor, *rows, depth);
  Value* const result = product.outputs[0];
  if (rows->has_column) {
    Type type = index->type;
    type.shape->pop_back();
    index = editor.emit("Squeeze", {index, editor.ints({-1})}, type);
  }
  editor.emit_as(result, "Gather", {table, index}, {{"axis", std::int64_t{0}}});
  editor.erase(product);
}

}  // namespace

void one_hot_to_gather(Graph& graph, PassContext&) {
  GraphEditor editor(graph);
  editor.each([&](Node& node) {
    if (is_a(&node, "MatMul")) rewrite(editor, node);
  });
}

}  // namespace onnxc::passes

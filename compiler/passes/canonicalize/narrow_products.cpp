// narrow_products: a product with a matrix that is a fill computes one column, and repeats it.
// Needs: types. Gives: Gemm and MatMul with one column, then Add or Expand. Never touches: fills
// that were folded, which are packed like any other weights; and nothing with --fp strict, as the
// bias may be added last.
#include "compiler/ops/node_view.hpp"
#include "compiler/passes/pass.hpp"

namespace onnxc::passes {
namespace {

class Narrow {
 public:
  explicit Narrow(Graph& graph) : graph_(graph) {}

  void run() {
    std::vector<std::unique_ptr<Node>> old = std::move(graph_.nodes);
    graph_.nodes.clear();
    for (auto& node : old)
      if (!rewrite(*node)) graph_.nodes.push_back(std::move(node));
  }

 private:
  // [rows, columns] of a matrix whose elements are all one value, that is made at run time.
  static bool is_fill(const Value& v) {
    return v.producer && v.producer->op == ops::find("", "ConstantOfShape") && !v.constant &&
           v.type.is_static() && v.type.rank() == 2;
  }

  static bool has_matrix(const Value* v) { return v && v->type.has_rank() && v->type.rank() >= 2; }

  // Whether adding the bias gives the result all of its columns.
  static bool spans_columns(const Node& gemm) {
    const Type &bias = gemm.inputs[2]->type, &result = gemm.outputs[0]->type;
    return bias.has_rank() && bias.rank() > 0 && bias.shape->back() == result.shape->back();
  }

  bool rewrite(const Node& node) {
    const bool gemm = node.op == ops::find("", "Gemm");
    if (!gemm && node.op != ops::find("", "MatMul")) return false;
    if (!node.body.empty() || !has_matrix(node.inputs[0]) || !is_fill(*node.inputs[1]))
      return false;
    if (!has_matrix(node.outputs[0])) return false;
    const ops::NodeView n(node);
    const bool bias = gemm && n.has_input(2);
    if (bias && (n.attr_float("beta") != 1.0f || !spans_columns(node))) return false;
    Shape narrow = *node.outputs[0]->type.shape;
    const Dim columns = narrow.back();
    narrow.back() = 1;
    Value* product = add(node, std::string(node.op->name), {node.inputs[0], column_of(n)}, narrow);
    for (const auto& [key, value] : node.attributes) graph_.nodes.back()->attributes[key] = value;
    if (bias)
      finish(node, "Add", {product, node.inputs[2]});
    else
      finish(node, "Expand", {product, extents_of(node, columns)});
    return true;
  }

  // A fill of the same value with one column; a small constant.
  Value* column_of(const ops::NodeView& n) {
    const Value& b = *n.node().inputs[1];
    const bool transposed = n.node().op->name == "Gemm" && n.attr_int("transB") != 0;
    Shape shape = *b.type.shape;
    shape[transposed ? 0 : 1] = 1;
    Value* extents =
        graph_.add_constant(graph_.fresh_name(b.name + "_shape"), Tensor::ints(fixed(shape)));
    Value* column = add(*b.producer, "ConstantOfShape", {extents}, shape);
    graph_.nodes.back()->attributes = b.producer->attributes;
    if (fold_node(*graph_.nodes.back())) {
      column->producer = nullptr;
      graph_.nodes.pop_back();
    }
    return column;
  }

  // What a result with one column expands to: its other extents are 1 here, and stay.
  Value* extents_of(const Node& node, const Dim& columns) {
    std::vector<std::int64_t> extents(node.outputs[0]->type.rank(), 1);
    extents.back() = columns.value();
    return graph_.add_constant(graph_.fresh_name(node.outputs[0]->name + "_shape"),
                               Tensor::ints(extents));
  }

  Node* append(const Node& from, const std::string& op, std::vector<Value*> inputs, Value* out) {
    Node* node = graph_.add_node(&ops::get(op), std::move(inputs), {out});
    node->name = from.name;
    node->op_type = op;
    node->domain = from.domain;
    node->index = from.index;
    node->version = from.version;
    node->sources = from.sources;
    return node;
  }

  Value* add(const Node& from, const std::string& op, std::vector<Value*> inputs,
             const Shape& shape) {
    const Value& like = *from.outputs[0];
    Value* out =
        graph_.add_value(graph_.fresh_name(like.name), Type::tensor(like.type.elem, shape));
    append(from, op, std::move(inputs), out);
    return out;
  }

  void finish(const Node& from, const std::string& op, std::vector<Value*> inputs) {
    append(from, op, std::move(inputs), from.outputs[0]);
  }

  Graph& graph_;
};

}  // namespace

void narrow_products(Graph& graph, PassContext& context) {
  if (context.options.strict_fp) return;
  Narrow(graph).run();
}

}  // namespace onnxc::passes

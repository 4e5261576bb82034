// fuse_normalization: LayerNormalization and RMSNormalization in the operators that exporters write
// become the operator, which is one kernel, and whose derivative takes few sweeps.
//
//   x / sqrt(mean(x^2) + epsilon) * scale                 RMSNormalization
//   the same of x - mean(x), plus bias                    LayerNormalization
//   x * f + (bias - mean(x) * f), f = scale / sqrt(...)   LayerNormalization, as TensorFlow has it
//
// Statistics in float32 of 16-bit values, between two Casts, are what the operators mean by their
// stash_type. It runs before derivatives are made, which then are those of the operator, and again
// after merge_duplicates, which joins differences from the mean that a model computes twice.
//
// Needs: types. Produces: LayerNormalization, RMSNormalization. Leaves alone: values in between
// with other readers, or that are graph outputs; statistics over other axes than the last ones;
// other types of statistics than float32, as epsilon is a float; with --fp strict, anything, as the
// kernels round differently.
#include <algorithm>
#include <optional>

#include "compiler/ir/editor.hpp"
#include "compiler/ops/node_view.hpp"
#include "compiler/ops/normalization/normalize.hpp"
#include "compiler/passes/fusion/constant_number.hpp"
#include "compiler/passes/pass.hpp"

namespace onnxc::passes {
namespace {

struct NormalizationMatch {
  Value* x = nullptr;
  Value *scale = nullptr, *bias = nullptr;  // null: none
  Value* squared = nullptr;                 // whose squares are averaged: x, or x less its mean
  Value* mean = nullptr;                    // of x; null: not subtracted
  std::size_t first = 0;                    // axis; the statistics are over those from it on
  float epsilon = 0;
  std::size_t squared_readers = 0;  // uses of `squared` that make its squares
  Node* last = nullptr;             // whose result the operator makes
  std::vector<const Node*> nodes;   // from the last to the first
};

bool is_float_tensor(const Value* v) {
  return v && v->type.is_tensor() && v->type.elem == ElemType::float32 && v->type.has_rank() &&
         v->type.rank() > 0;
}

bool is_half(ElemType elem) { return elem == ElemType::float16 || elem == ElemType::bfloat16; }

class NormalizationFusion {
 public:
  explicit NormalizationFusion(Graph& graph) : graph_(graph), editor_(graph) {}

  void run() {
    editor_.each([this](Node& node) {
      if (node.outputs.empty()) return;  // sends a message
      NormalizationMatch m;
      m.last = &node;
      m.nodes = {&node};
      const bool found = is_a(&node, "Add") ? find_sum(node, m) : find_quotient(node, m);
      if (found && m.x->type.shape == m.last->outputs[0]->type.shape) replace(m);
    });
  }

 private:
  // The producer of a value that has this many readers, if it is this operator.
  const Node* made_by(const Value* v, const char* op, std::size_t readers = 1) const {
    if (!v || v->constant || v->users().size() != readers) return nullptr;
    return is_a(v->producer, op) && v->producer->graph == &graph_ ? v->producer : nullptr;
  }

  // ---- from the normalised values back ----------------------------------------------------------

  // squared / sqrt(..), squared * (1 / sqrt(..)) or squared * (scale / sqrt(..)).
  bool find_quotient(Node& node, NormalizationMatch& m) const {
    if (!is_float_tensor(node.outputs[0])) return false;
    if (is_a(&node, "Div"))
      return take_root(node.inputs[1], 1, m) && take_values(node.inputs[0], m) && take_rest(m);
    if (!is_a(&node, "Mul")) return false;
    for (const std::size_t i : {0, 1}) {
      NormalizationMatch with = m;
      if (!take_factor(node.inputs[i], 1, with) || !take_values(node.inputs[1 - i], with)) continue;
      m = std::move(with);
      return take_rest(m);
    }
    return false;
  }

  // x * f + (bias - mean * f), f with a scale or without one.
  bool find_sum(Node& node, NormalizationMatch& m) const {
    if (!is_float_tensor(node.outputs[0])) return false;
    for (const std::size_t i : {0, 1}) {
      const Node* const shift = made_by(node.inputs[1 - i], "Sub");
      const Node* const of_mean = shift ? made_by(shift->inputs[1], "Mul") : nullptr;
      const Node* const of_x = made_by(node.inputs[i], "Mul");
      if (!of_mean || !of_x) continue;
      NormalizationMatch with = m;
      with.bias = shift->inputs[0];
      with.nodes.insert(with.nodes.end(), {of_x, shift, of_mean});
      if (!take_products(*of_x, *of_mean, with)) continue;
      m = std::move(with);
      return true;
    }
    return false;
  }

  // Both products have one factor, and the other operands are x and its mean.
  bool take_products(const Node& of_x, const Node& of_mean, NormalizationMatch& m) const {
    for (const std::size_t i : {0, 1})
      for (const std::size_t k : {0, 1}) {
        NormalizationMatch with = m;
        if (of_x.inputs[i] != of_mean.inputs[k]) continue;
        if (!take_factor(of_x.inputs[i], 2, with)) continue;
        Value* const x = of_x.inputs[1 - i];
        Value* const mean = of_mean.inputs[1 - k];
        if (!take_mean(x, mean, with.squared_readers, 2, with)) continue;
        m = std::move(with);
        return fits(m.bias, m);
      }
    return false;
  }

  // 1 / sqrt(..), perhaps times a scale.
  bool take_factor(const Value* v, std::size_t readers, NormalizationMatch& m) const {
    const Node* const product = made_by(v, "Mul", readers);
    if (!product) return take_inverse(v, readers, m);
    m.nodes.push_back(product);
    for (const std::size_t i : {0, 1}) {
      NormalizationMatch with = m;
      with.scale = product->inputs[1 - i];
      if (!take_inverse(product->inputs[i], 1, with) || !fits(with.scale, with)) continue;
      m = std::move(with);
      return true;
    }
    return false;
  }

  bool take_inverse(const Value* v, std::size_t readers, NormalizationMatch& m) const {
    if (const Node* n = made_by(v, "Reciprocal", readers)) {
      m.nodes.push_back(n);
      return take_root(n->inputs[0], 1, m);
    }
    if (const Node* n = made_by(v, "Div", readers)) {
      m.nodes.push_back(n);
      return constant_number(n->inputs[0]) == 1.0 && take_root(n->inputs[1], 1, m);
    }
    return take_power(v, -0.5, readers, m);
  }

  bool take_root(const Value* v, std::size_t readers, NormalizationMatch& m) const {
    const Node* const n = made_by(v, "Sqrt", readers);
    if (!n) return take_power(v, 0.5, readers, m);
    m.nodes.push_back(n);
    return take_variance(n->inputs[0], m);
  }

  bool take_power(const Value* v, double exponent, std::size_t readers,
                  NormalizationMatch& m) const {
    const Node* const n = made_by(v, "Pow", readers);
    if (!n || constant_number(n->inputs[1]) != exponent) return false;
    m.nodes.push_back(n);
    return take_variance(n->inputs[0], m);
  }

  // mean(squares) + epsilon, and what the squares are of.
  bool take_variance(const Value* v, NormalizationMatch& m) const {
    const Node* const sum = made_by(v, "Add");
    if (!sum) return false;
    const std::size_t at = constant_number(sum->inputs[1]) ? 1 : 0;
    const auto epsilon = constant_number(sum->inputs[at]);
    const Node* const mean = made_by(sum->inputs[1 - at], "ReduceMean");
    if (!epsilon || !mean || sum->inputs[at]->type.elem != ElemType::float32) return false;
    m.epsilon = static_cast<float>(*epsilon);
    const auto first = first_axis(*mean);
    if (!first) return false;
    m.first = *first;
    m.nodes.insert(m.nodes.end(), {sum, mean});
    return take_squares(mean->inputs[0], m);
  }

  bool take_squares(const Value* v, NormalizationMatch& m) const {
    const Node* n = made_by(v, "Pow");
    const bool is_power = n && constant_number(n->inputs[1]) == 2.0;
    if (!is_power) n = made_by(v, "Mul");
    if (!n || (!is_power && n->inputs[0] != n->inputs[1]) || !is_float_tensor(v)) return false;
    m.squared = n->inputs[0];
    m.squared_readers = is_power ? 1 : 2;
    m.nodes.push_back(n);
    return is_float_tensor(m.squared) && m.squared->type == v->type;
  }

  // The first axis that a mean is over, if it is over all from that on and keeps them.
  static std::optional<std::size_t> first_axis(const Node& mean) {
    const ops::NodeView n(mean);
    if (!is_float_tensor(mean.inputs[0]) || n.attr_int("keepdims") == 0) return std::nullopt;
    const std::size_t rank = mean.inputs[0]->type.rank();
    std::vector<std::size_t> axes;
    if (n.has_input(1)) {
      const auto given = n.ints(1);
      if (!given) return std::nullopt;
      for (const std::int64_t axis : *given) axes.push_back(n.axis(axis, rank));
    }
    if (axes.empty()) {
      if (n.attr_int("noop_with_empty_axes") != 0) return std::nullopt;
      return 0;
    }
    std::sort(axes.begin(), axes.end());
    for (std::size_t i = 0; i < axes.size(); ++i)
      if (axes[i] != rank - axes.size() + i) return std::nullopt;
    return axes.front();
  }

  // What is normalised: `v` is x less its mean, or x itself.
  bool take_values(Value* v, NormalizationMatch& m) const {
    if (v != m.squared) return false;
    const Node* const difference = made_by(v, "Sub", m.squared_readers + 1);
    NormalizationMatch with = m;
    if (difference &&
        take_mean(difference->inputs[0], difference->inputs[1], m.squared_readers + 1, 1, with))
      m = std::move(with);
    else
      m.x = v;
    return true;
  }

  // Whether what is squared is x less this mean of it, and these have so many readers.
  bool take_mean(Value* x, Value* mean, std::size_t squared_readers, std::size_t mean_readers,
                 NormalizationMatch& m) const {
    const Node* const difference = made_by(m.squared, "Sub", squared_readers);
    if (!difference || difference->inputs[0] != x || difference->inputs[1] != mean) return false;
    const Node* const n = made_by(mean, "ReduceMean", mean_readers);
    if (!n || n->inputs[0] != x || !is_float_tensor(x) || first_axis(*n) != m.first) return false;
    m.nodes.insert(m.nodes.end(), {difference, n});
    m.x = x;
    m.mean = mean;
    return true;
  }

  // ---- from the normalised values on ------------------------------------------------------------

  // An operand for every element that the statistics are over.
  static bool fits(const Value* v, const NormalizationMatch& m) {
    const Value* const like = m.x ? m.x : m.squared;
    return v->type.is_tensor() && v->type.has_rank() &&
           v->type.elem == m.last->outputs[0]->type.elem &&
           ops::covers_axes(*v->type.shape, *like->type.shape, m.first) &&
           v->type.rank() <= like->type.rank();
  }

  // The Cast back to the type that x was cast from, the product with the scale, the sum with the
  // bias.
  bool take_rest(NormalizationMatch& m) const {
    if (Node* const cast = only_reader(m.last->outputs[0], "Cast"); cast && !m.scale) {
      const Node* const from = is_a(m.x->producer, "Cast") ? m.x->producer : nullptr;
      const ElemType elem = cast->outputs[0]->type.elem;
      if (from && is_half(elem) && from->inputs[0]->type.elem == elem) {
        m.x = from->inputs[0];
        append(*cast, m);
      }
    }
    if (Node* const n = m.scale ? nullptr : only_reader(m.last->outputs[0], "Mul"))
      take_operand(*n, m, m.scale);
    if (Node* const n = m.mean ? only_reader(m.last->outputs[0], "Add") : nullptr)
      take_operand(*n, m, m.bias);
    return true;
  }

  static void take_operand(Node& n, NormalizationMatch& m, Value*& operand) {
    Value* const other = n.inputs[n.inputs[0] == m.last->outputs[0] ? 1 : 0];
    if (!fits(other, m)) return;
    operand = other;
    append(n, m);
  }

  static void append(Node& n, NormalizationMatch& m) {
    m.last = &n;
    m.nodes.insert(m.nodes.begin(), &n);
  }

  // ---- rewriting --------------------------------------------------------------------------------

  // The operators want a scale; one number serves for all elements.
  Value* one(ElemType elem) {
    if (elem == ElemType::float32) return editor_.constant(Tensor::scalar(1.0f));
    const std::uint16_t bits = elem == ElemType::float16 ? 0x3c00 : 0x3f80;
    return editor_.constant(Tensor::of<std::uint16_t>(elem, {}, std::span(&bits, 1)));
  }

  void replace(const NormalizationMatch& m) {
    editor_.before(*m.last);
    std::vector<Value*> inputs = {m.x, m.scale ? m.scale : one(m.x->type.elem)};
    if (m.bias) inputs.push_back(m.bias);
    const auto rank = static_cast<std::int64_t>(m.x->type.rank());
    editor_.fuse(m.nodes, *m.last, ops::get(m.mean ? "LayerNormalization" : "RMSNormalization"),
                 inputs,
                 {{"axis", static_cast<std::int64_t>(m.first) - rank}, {"epsilon", m.epsilon}});
  }

  Graph& graph_;
  GraphEditor editor_;
};

}  // namespace

void fuse_normalization(Graph& graph, PassContext& context) {
  if (context.options.strict_fp) return;
  NormalizationFusion(graph).run();
}

}  // namespace onnxc::passes

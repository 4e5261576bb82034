// fuse_gelu: Gelu in the operators that exporters write becomes the operator, one function of each
// element, whose derivative keeps the operand alone.
//
//   x / 2 * (1 + erf(x / sqrt(2)))
//   x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))
//
// With t for the result of Erf or Tanh, both are polynomials in x and t, and so is the operand of
// Erf or Tanh in x. Equal coefficients are found in whatever order the factors stand. It runs
// before derivatives are made, and again after merge_duplicates and conversions to float32.
//
// Needs: types. Produces: Gelu. Leaves alone: values in between with other readers, or that are
// graph outputs; other types than float32, in which constants are exact enough to tell, and
// constants that were rounded to 16 bits, which are other numbers; with --fp strict, anything, as
// the operator rounds once.
#include <cmath>
#include <optional>

#include "compiler/ir/editor.hpp"
#include "compiler/ir/op.hpp"
#include "compiler/passes/fusion/constant_number.hpp"
#include "compiler/passes/pass.hpp"

namespace onnxc::passes {
namespace {

// The longest path from the operand of Erf or Tanh to x, and from its result to that of Gelu.
constexpr int kLongestPath = 8;

constexpr double kSqrtHalf = 0.70710678118654752, kTanhScale = 0.79788456080286536,
                 kCubic = 0.044715;

// Coefficients of t^i * x^k.
struct Polynomial {
  static constexpr std::size_t kT = 2, kX = 4;
  double of[kT][kX] = {};

  bool is_constant() const { return equals({{{of[0][0]}}}); }
  bool equals(const Polynomial& other) const {
    for (std::size_t i = 0; i < kT; ++i)
      for (std::size_t k = 0; k < kX; ++k)
        if (std::abs(of[i][k] - other.of[i][k]) > 1e-5 * std::abs(other.of[i][k])) return false;
    return true;
  }
};

Polynomial plus(const Polynomial& a, const Polynomial& b, double factor) {
  Polynomial r = a;
  for (std::size_t i = 0; i < Polynomial::kT; ++i)
    for (std::size_t k = 0; k < Polynomial::kX; ++k) r.of[i][k] += factor * b.of[i][k];
  return r;
}

// Nullopt if a power becomes too high.
std::optional<Polynomial> times(const Polynomial& a, const Polynomial& b) {
  constexpr std::size_t kCount = Polynomial::kT * Polynomial::kX;
  Polynomial r;
  for (std::size_t m = 0; m < kCount * kCount; ++m) {
    const std::size_t p = m / kCount, q = m % kCount;
    const std::size_t i = p / Polynomial::kX, k = p % Polynomial::kX, j = q / Polynomial::kX,
                      l = q % Polynomial::kX;
    const double term = a.of[i][k] * b.of[j][l];
    if (term == 0) continue;
    if (i + j >= Polynomial::kT || k + l >= Polynomial::kX) return std::nullopt;
    r.of[i + j][k + l] += term;
  }
  return r;
}

bool is_arithmetic(const Node* n) {
  for (const char* op : {"Add", "Sub", "Mul", "Div", "Pow"})
    if (is_a(n, op)) return true;
  return false;
}

// The one node that reads a value, once or more; null if there is none, or another reader.
const Node* reader_of(const Value& v) {
  const Node* reader = v.users().empty() ? nullptr : v.users()[0].node;
  for (const Use& use : v.users())
    if (use.node != reader) return nullptr;
  return reader;
}

// The nodes around an Erf or Tanh as polynomials.
class GeluMatcher {
 public:
  GeluMatcher(const Graph& graph, const Node& function) : graph_(graph), function_(function) {}

  Value* x() const { return x_; }
  // From the last to the first.
  const std::vector<const Node*>& nodes() const { return nodes_; }

  // Finds the x of which the operand is such a polynomial.
  bool takes(const Polynomial& operand) {
    x_ = find_x(function_.inputs[0]);
    if (!x_ || x_->type.elem != ElemType::float32 || !x_->type.has_rank()) return false;
    const auto found = of(function_.inputs[0], nullptr);
    return found && found->equals(operand);
  }

  // Whether the result of this node is that polynomial in x and the result of the function.
  bool gives(const Node& last, const Polynomial& result) {
    if (!(last.outputs[0]->type == x_->type)) return false;
    nodes_.clear();
    const auto found = of_node(last, function_.outputs[0]);
    if (!found || !found->equals(result)) return false;
    nodes_.push_back(&function_);
    return of(function_.inputs[0], nullptr).has_value();
  }

 private:
  // The first value after the operand that has another reader: the factor of Gelu.
  Value* find_x(Value* v) const {
    for (int i = 0; i < kLongestPath; ++i) {
      if (!reader_of(*v)) return v;
      if (!is_arithmetic(v->producer) || v->producer->graph != &graph_) return nullptr;
      const auto& inputs = v->producer->inputs;
      v = inputs[0]->constant ? inputs[1] : inputs[0];
      if (v->constant) return nullptr;
    }
    return nullptr;
  }

  std::optional<Polynomial> of(const Value* v, const Value* t) {
    Polynomial p;
    if (v == x_) {
      p.of[0][1] = 1;
    } else if (v == t && reader_of(*v)) {
      p.of[1][0] = 1;
    } else if (const auto constant = constant_number(v)) {
      p.of[0][0] = *constant;
    } else if (reader_of(*v) && is_arithmetic(v->producer) && v->producer->graph == &graph_) {
      return of_node(*v->producer, t);
    } else {
      return std::nullopt;
    }
    return p;
  }

  std::optional<Polynomial> of_node(const Node& n, const Value* t) {
    if (nodes_.size() > 2 * kLongestPath) return std::nullopt;
    nodes_.push_back(&n);
    const auto a = of(n.inputs[0], t);
    if (!a) return std::nullopt;
    if (n.inputs[0] == n.inputs[1] && is_a(&n, "Mul")) return times(*a, *a);
    const auto b = of(n.inputs[1], t);
    if (!b) return std::nullopt;
    if (is_a(&n, "Add")) return plus(*a, *b, 1);
    if (is_a(&n, "Sub")) return plus(*a, *b, -1);
    if (is_a(&n, "Mul")) return times(*a, *b);
    if (!b->is_constant()) return std::nullopt;
    const double number = b->of[0][0];
    if (is_a(&n, "Div")) return plus({}, *a, 1 / number);
    if (number != 2 && number != 3) return std::nullopt;
    const auto square = times(*a, *a);
    return number == 2 || !square ? square : times(*square, *a);
  }

  const Graph& graph_;
  const Node& function_;
  Value* x_ = nullptr;
  std::vector<const Node*> nodes_;
};

void fuse_around(GraphEditor& editor, const Node& function) {
  const bool is_exact = is_a(&function, "Erf");
  const Polynomial operand = is_exact ? Polynomial{{{0, kSqrtHalf}}}
                                      : Polynomial{{{0, kTanhScale, 0, kTanhScale * kCubic}}};
  const Polynomial result{{{0, 0.5}, {0, 0.5}}};
  GeluMatcher match(editor.graph(), function);
  if (!match.takes(operand)) return;
  const Value* v = function.outputs[0];
  for (int i = 0; i < kLongestPath; ++i) {
    Node* const last = only_user(*v);
    if (!is_arithmetic(last) || last->graph != &editor.graph()) return;
    if (match.gives(*last, result))
      return editor.fuse(match.nodes(), *last, ops::get("Gelu"), {match.x()},
                         {{"approximate", std::string(is_exact ? "none" : "tanh")}});
    v = last->outputs[0];
  }
}

}  // namespace

void fuse_gelu(Graph& graph, PassContext& context) {
  if (context.options.strict_fp) return;
  GraphEditor editor(graph);
  editor.each([&](Node& node) {
    if (is_a(&node, "Erf") || is_a(&node, "Tanh")) fuse_around(editor, node);
  });
}

}  // namespace onnxc::passes

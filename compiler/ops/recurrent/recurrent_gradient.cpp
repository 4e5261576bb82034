// Builds recurrent operators as a product of all inputs with the weights and a Scan over the steps.
#include "compiler/ops/recurrent/recurrent_gradient.hpp"

#include "templates/recurrent/recurrent.hpp"

namespace onnxc::ops {
namespace {

using Ints = std::vector<std::int64_t>;

Term slice(Term v, std::int64_t axis, std::int64_t first, std::int64_t end) {
  NodeBuilder& b = *v.builder;
  return b.emit("Slice", {v, b.ints({first}), b.ints({end}), b.ints({axis})});
}

Term unsqueezed(Term v, std::int64_t axis) {
  return v.builder->emit("Unsqueeze", {v, v.builder->ints({axis})});
}

Term concat(NodeBuilder& b, const std::vector<Term>& parts, std::int64_t axis) {
  const std::vector<Value*> values(parts.begin(), parts.end());
  return b.emit("Concat", values, {{"axis", axis}});
}

// One direction of one node.
class Direction {
 public:
  Direction(Gradient& n, const Recurrence& recurrence, const Recurrent& r, int direction)
      : n_(n), recurrence_(recurrence), r_(r), direction_(direction), hidden_(r.hidden.value()) {}

  // Fills y, [steps, batch, hidden], and the last states.
  void run(Term x, Term lengths) {
    Term products = input_products(x);
    const bool turned = lengths.value && is_reverse();
    if (turned) products = reversed(products, lengths);
    build_body(lengths);
    std::vector<Value*> operands(start_.begin(), start_.end());
    operands.push_back(products);
    if (lengths.value) operands.push_back(active_steps(products, lengths));
    const std::int64_t scanned = lengths.value ? 2 : 1;
    const std::int64_t backwards = is_reverse() && !turned ? 1 : 0;
    const auto results = builder().add(get("Scan"), operands, body_->outputs.size(),
                                       {{"body", body_},
                                        {"num_scan_inputs", scanned},
                                        {"scan_input_directions", Ints(scanned_size(), backwards)},
                                        {"scan_output_directions", Ints{backwards}}});
    for (std::size_t i = 0; i < recurrence_.states; ++i) last.push_back(builder().term(results[i]));
    y = builder().term(results.back());
    if (turned) y = reversed(y, lengths);
  }

  Term y;
  std::vector<Term> last;

 private:
  NodeBuilder& builder() const { return n_.builder(); }
  bool is_reverse() const { return direction_ == 1 || r_.reversed; }
  std::size_t scanned_size() const { return n_.has_input(4) ? 2 : 1; }

  // This direction's part of an operand.
  Term part(std::size_t input, std::int64_t axis = 0) const {
    return n_.emit("Gather", {n_.x(input), builder().integer(direction_)}, {{"axis", axis}});
  }

  Term input_products(Term x) {
    const std::int64_t columns = r_.gates * hidden_;
    const Term products = matmul(x, permute(part(1), {1, 0}));
    if (!n_.has_input(3)) return products;
    const Term both = part(3), recurrent = slice(both, 0, columns, 2 * columns);
    Term bias = slice(both, 0, 0, columns);
    if (!recurrence_.late_gate) return products + (bias + recurrent);
    const std::int64_t early = columns - hidden_;
    late_bias_ = slice(recurrent, 0, early, columns);
    const Term sum = slice(bias, 0, 0, early) + slice(recurrent, 0, 0, early);
    return products + concat(builder(), {sum, slice(bias, 0, early, columns)}, 0);
  }

  Term reversed(Term v, Term lengths) const {
    return n_.emit("ReverseSequence", {v, lengths},
                   {{"time_axis", std::int64_t{0}}, {"batch_axis", std::int64_t{1}}});
  }

  // [steps, batch, 1]: whether a sequence has this step.
  Term active_steps(Term products, Term lengths) const {
    NodeBuilder& b = builder();
    const Term numbers = n_.emit("Range", {b.integer(0), extent_of(products, 0), b.integer(1)});
    return unsqueezed(unsqueezed(numbers, 1) < lengths, 2);
  }

  Term start_state(std::size_t i) const {
    const std::size_t input = 5 + i;
    if (n_.has_input(input)) return part(input, r_.batch_first ? 1 : 0);
    const Term extents = concat(builder(),
                                {n_.emit("Shape", {n_.x(0)},
                                         {{"start", std::int64_t{r_.batch_first ? 0 : 1}},
                                          {"end", std::int64_t{r_.batch_first ? 1 : 2}}}),
                                 n_.list({hidden_})},
                                0);
    const Term zero = n_.emit("Reshape", {builder().scalar(0, n_.input(0).elem), n_.list({1})});
    return n_.emit("Expand", {zero, extents});
  }

  Value* body_input(const Type& type) {
    Value* v = body_->add_value(body_->fresh_name("step"), type);
    body_->inputs.push_back(v);
    return v;
  }

  void build_body(Term lengths) {
    body_ = std::make_shared<Graph>();
    body_->name = "steps";
    body_->parent = &builder().graph();
    const auto inner = builder().inside(*body_);
    RecurrentStep s;
    for (std::size_t i = 0; i < recurrence_.states; ++i) {
      start_.push_back(start_state(i));
      s.states.push_back(
          inner->term(body_input(Type::tensor(n_.input(0).elem, Shape{r_.batch, r_.hidden}))));
    }
    s.input = inner->term(
        body_input(Type::tensor(n_.input(0).elem, Shape{r_.batch, Dim(r_.gates) * r_.hidden})));
    Term active;
    if (lengths.value)
      active = inner->term(body_input(Type::tensor(ElemType::boolean, Shape{r_.batch, 1})));
    fill(s, *inner);
    finish_step(s, *inner, active);
  }

  void fill(RecurrentStep& s, NodeBuilder& inner) const {
    s.r = inner.term(permute(part(2), {1, 0}));
    if (late_bias_.value) s.late_bias = inner.term(late_bias_);
    if (n_.has_input(7)) s.peepholes = inner.term(part(7));
    const auto each = static_cast<std::ptrdiff_t>(recurrence_.kind.activations.size());
    const auto first = r_.activations.begin() + direction_ * each;
    s.activations.assign(first, first + each);
    s.clip = n_.has_attr("clip") ? double{n_.attr_float("clip")} : 0;
  }

  // A sequence that has ended keeps its states; its outputs are zero.
  void finish_step(const RecurrentStep& s, NodeBuilder& inner, Term active) {
    std::vector<Term> states = recurrence_.step(s);
    Term out = states[0];
    if (active.value) {
      out = choose(active, states[0], 0.0);
      for (std::size_t i = 0; i < states.size(); ++i)
        states[i] = choose(active, states[i], s.states[i]);
    }
    for (const Term& state : states) body_->outputs.push_back(state);
    body_->outputs.push_back(active.value ? out.value : inner.emit("Identity", {out}).value);
  }

  Gradient& n_;
  const Recurrence& recurrence_;
  const Recurrent& r_;
  const int direction_;
  const std::int64_t hidden_;
  std::shared_ptr<Graph> body_;
  std::vector<Term> start_;
  Term late_bias_;
};

// Along a new axis for the directions.
Term joined(NodeBuilder& b, const std::vector<Term>& parts, std::int64_t axis) {
  std::vector<Term> all;
  for (const Term& part : parts) all.push_back(unsqueezed(part, axis));
  return all.size() == 1 ? all[0] : concat(b, all, axis);
}

}  // namespace

Term RecurrentStep::gates(Term of, std::int64_t first, std::int64_t count) const {
  const std::int64_t hidden = states[0].type().shape->back().value();
  return slice(of, of.type().rank() == 2 ? 1 : 0, first * hidden, (first + count) * hidden);
}

Term RecurrentStep::clipped(Term x) const {
  if (clip <= 0) return x;
  return x.builder->emit("Clip", {x, number_like(x, -clip), number_like(x, clip)});
}

Term RecurrentStep::activated(std::size_t i, Term x) const { return unclipped(i, clipped(x)); }

Term RecurrentStep::unclipped(std::size_t i, Term x) const {
  const ActivationChoice& a = activations[i];
  NodeBuilder& b = *x.builder;
  const Attributes alpha = {{"alpha", a.alpha}};
  switch (a.kind) {
    case Activation::kRelu:
      return apply("Relu", x);
    case Activation::kTanh:
      return apply("Tanh", x);
    case Activation::kSigmoid:
      return apply("Sigmoid", x);
    case Activation::kAffine:
      return x * double{a.alpha} + double{a.beta};
    case Activation::kLeakyRelu:
      return b.emit("LeakyRelu", {x}, alpha);
    case Activation::kThresholdedRelu:
      return b.emit("ThresholdedRelu", {x}, alpha);
    case Activation::kScaledTanh:
      return double{a.alpha} * apply("Tanh", x * double{a.beta});
    case Activation::kHardSigmoid:
      return b.emit("HardSigmoid", {x}, {{"alpha", a.alpha}, {"beta", a.beta}});
    case Activation::kElu:
      return b.emit("Elu", {x}, alpha);
    case Activation::kSoftsign:
      return apply("Softsign", x);
    default:
      return apply("Softplus", x);
  }
}

void gradient_of_recurrent(Gradient& n, const Recurrence& recurrence) {
  for (std::size_t i = 0; i < 3; ++i) n.shape(i);
  const Recurrent r = read_recurrent(n, recurrence.kind);
  n.require_known(r.hidden.is_const(), "attribute \"hidden_size\"",
                  "the gradient needs it at compile time");
  const Term x = r.batch_first ? permute(n.x(0), {1, 0, 2}) : n.x(0);
  Term lengths;
  if (n.has_input(4)) lengths = convert(n.x(4), ElemType::int64);
  std::vector<Term> ys;
  std::vector<std::vector<Term>> last(recurrence.states);
  for (int d = 0; d < r.directions; ++d) {
    Direction direction(n, recurrence, r, d);
    direction.run(x, lengths);
    ys.push_back(direction.y);
    for (std::size_t i = 0; i < recurrence.states; ++i) last[i].push_back(direction.last[i]);
  }
  Term y = joined(n.builder(), ys, 1);
  if (r.batch_first) y = permute(y, {2, 0, 1, 3});
  std::vector<Value*> results = {y};
  for (const auto& states : last)
    results.push_back(joined(n.builder(), states, r.batch_first ? 1 : 0));
  n.by_definition(results);
}

}  // namespace onnxc::ops

// NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss: the loss of log-probabilities, or of raw
// scores, against class indices.
#include "compiler/kernels/normalization_calls.hpp"
#include "compiler/kernels/training_calls.hpp"
#include "compiler/ops/gradient.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/ops/window.hpp"
#include "templates/training/loss.hpp"

namespace onnxc::ops::losses {
namespace {

std::int64_t reduction(const NodeView& n) {
  const std::string& r = n.attr_string("reduction");
  if (r == "none") return Reduction::kNone;
  if (r == "sum") return Reduction::kSum;
  n.require(r == "mean", "attribute \"reduction\"", "{} is no reduction", quoted(r));
  return Reduction::kMean;
}

// The two losses have different names for the same inputs.
std::string name_of(const NodeView& n, std::size_t i) {
  return std::string(signature(*n.node().op).inputs[i].name);
}

// Checks inputs 0 (scores), 1 (target), 2 (weights); types output 0.
void infer_loss(Infer& n) {
  const bool whole = reduction(n) == Reduction::kNone;
  if (n.has_rank(0)) {
    const Shape& x = n.shape(0);
    n.require(x.size() >= 2, input_field(0, name_of(n, 0)), "rank {}, needs at least 2", x.size());
    require_vector(n, 2, name_of(n, 2), x[1]);
    if (n.has_rank(1)) {
      Shape want = x;
      want.erase(want.begin() + 1);
      const Shape& t = n.shape(1);
      const std::string field = input_field(1, name_of(n, 1));
      n.require(t.size() == want.size(), field, "rank {}, needs {}", t.size(), want.size());
      for (std::size_t i = 0; i < t.size(); ++i) n.same(t[i], want[i], field);
    }
  }
  if (!whole) return n.output(0, n.elem(0), Shape{});
  n.output(0, n.elem(0), n.has_rank(1) ? std::optional(n.shape(1)) : std::nullopt);
}

NllLossShape<Dim> loss_shape(const NodeView& n) {
  const Shape& x = *n.input(0).shape;
  const auto ignored = n.find_int("ignore_index");
  return {
      x[0], x[1], product(x, 2, x.size()), reduction(n), ignored.has_value(), ignored.value_or(0)};
}

// The loss of the log-probabilities in `scores`.
void lower_loss(Lower& n, KernelName kernel, BufferId scores) {
  n.call(kernel, loss_shape(n)).read(scores).in(1).in(2, n.elem(0)).out(0);
}

// The same as nodes: element p of the result is that of class target[p].
Term loss_of(const Gradient& n, Term log_prob) {
  Term target = convert(n.x(1), ElemType::int64), ignored;
  if (const auto index = n.find_int("ignore_index")) {
    ignored = n.emit("Equal", {target, n.builder().integer(*index)});
    target = choose(ignored, n.builder().integer(0), target);
  }
  const Term classes = n.emit("Unsqueeze", {target, n.list({1})});
  const Term found = n.emit("GatherElements", {log_prob, classes}, {{"axis", std::int64_t{1}}});
  Term loss = -n.emit("Squeeze", {found, n.list({1})}), weights;
  if (n.has_input(2)) weights = n.emit("Gather", {n.x(2), target});
  if (weights.value) loss = loss * weights;
  if (ignored.value) {
    weights = choose(ignored, 0.0, weights.value ? weights : n.builder().filled(1, loss));
    // Not times zero: where all are ignored the mean divides by zero, and the derivative is zero.
    loss = choose(ignored, 0.0, loss);
  }
  const std::int64_t how = reduction(n);
  if (how == Reduction::kNone) return loss;
  if (how == Reduction::kMean && !weights.value)
    return n.emit("ReduceMean", {loss}, {{"keepdims", std::int64_t{0}}});
  const Term sum = sum_over(loss, {}, false);
  return how == Reduction::kSum ? sum : sum / sum_over(weights, {}, false);
}

void lower_nll(Lower& n) { lower_loss(n, "nll_loss", n.in(0)); }

void nll_gradient(Gradient& n) {
  n.shape(0);
  n.by_definition({loss_of(n, n.x())});
}

void infer_cross_entropy(Infer& n) {
  infer_loss(n);
  n.output(1, n.input(0));
}

void lower_cross_entropy(Lower& n) {
  if (!n.has_output(1)) return lower_loss(n, "cross_entropy", n.in(0));
  const Shape& x = n.shape(0);
  const Dim inner = product(x, 2, x.size());
  if (n.elem(0) == ElemType::float32)
    n.call("softmax", SoftmaxShape<Dim>{x[0], x[1], inner, true}).in(0).out(1).divisible();
  else
    n.call("softmax_axis", SoftmaxAxisShape<Dim>{x[0], x[1], inner, true}).in(0).out(1);
  lower_loss(n, "nll_loss", n.out(1));
}

// The derivative by the scores alone, of the loss alone: softmax minus one, for the class of the
// target, times weights.
void gradient_of_scores(Gradient& n) {
  const bool has_log = n.has_output(1) && !n.output_value(1).users().empty();
  const Term probability =
      has_log ? apply("Exp", n.y(1)) : n.emit("Softmax", {n.x(0)}, {{"axis", std::int64_t{1}}});
  Value* const weights = n.has_input(2) ? n.x(2).value : nullptr;
  const auto found =
      n.builder().add(get("CrossEntropyGrad", "onnxc"), {probability, n.x(1), weights, n.dy()}, 1,
                      n.node().attributes);
  n.dx(0, n.builder().term(found[0]));
}

void infer_cross_entropy_grad(Infer& n) { n.output(0, n.input(0)); }

void lower_cross_entropy_grad(Lower& n) {
  n.call("cross_entropy_grad", loss_shape(n)).in({0, 1}).in(2, n.elem(0)).in(3).out(0).may_share(0);
}

// The loss is linear in log-probabilities: v, its derivative by them, does not depend on them.
void gradient_of_grad(Gradient& n) {
  const auto v = n.builder().vjp({{loss_of(n, n.x(0)), n.x(3)}}, {n.x(0)});
  if (!v[0]) return gradient_is_zero(n);
  const Term each = n.builder().term(v[0]);
  n.by_definition({each - n.x(0) * sum_over(each, {1}, true)});
}

// By way of the log-probabilities, which forward computes, too: with v the derivative by them,
// v - softmax * sum of v over the classes.
void cross_entropy_gradient(Gradient& n) {
  n.shape(0);
  if (n.has_dy(0) && !n.has_dy(1) && !n.wants(2)) return gradient_of_scores(n);
  const Term log_prob = n.y(1);
  std::vector<Value*> xs = {log_prob};
  if (n.wants(2)) xs.push_back(n.x(2));
  std::vector<Value*> found(xs.size());
  if (n.has_dy(0)) found = n.builder().vjp({{loss_of(n, log_prob), n.dy()}}, xs);
  n.zero(0);
  if (n.has_input(2)) n.zero(2);
  if (n.wants(2) && found[1]) n.dx(2, n.builder().term(found[1]));
  Term v = found[0] ? n.builder().term(found[0]) : n.dy_or_zero(1);
  if (found[0] && n.has_dy(1)) v = v + n.dy(1);
  if (n.wants(0)) n.dx(0, v - apply("Exp", log_prob) * sum_over(v, {1}, true));
}

constexpr Op rows[] = {
    {
        .name = "NegativeLogLikelihoodLoss",
        .versions = "12 13 22",
        .inputs = "input:T target:Tind weight:T?",
        .outputs = "loss:T",
        .types = "T: floats; Tind: int32 int64",
        .attributes = "ignore_index:int reduction:string=mean",
        .infer = infer_loss,
        .lower = lower_nll,
        .gradient = nll_gradient,
    },
    {
        .name = "SoftmaxCrossEntropyLoss",
        .versions = "12 13",
        .inputs = "scores:T labels:Tind weights:T?",
        .outputs = "output:T log_prob:T?",
        .types = "T: floats; Tind: int32 int64",
        .attributes = "ignore_index:int reduction:string=mean",
        .infer = infer_cross_entropy,
        .lower = lower_cross_entropy,
        .gradient = cross_entropy_gradient,
    },
    {
        .name = "CrossEntropyGrad",
        .domain = "onnxc",
        .versions = "1",
        .inputs = "probability:T labels:Tind weights:T? dY:T",
        .outputs = "dX:T",
        .types = "T: floats; Tind: int32 int64",
        .attributes = "ignore_index:int reduction:string=mean",
        .infer = infer_cross_entropy_grad,
        .lower = lower_cross_entropy_grad,
        .gradient = gradient_of_grad,
    },
};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::losses

// SoftmaxCrossEntropyLoss: the loss of raw scores against class indices.
#include "compiler/ops/training/loss.hpp"
#include "templates/normalization/normalization_calls.hpp"

namespace onnxc::ops::softmax_cross_entropy_loss {
namespace {

void infer(Infer& n) {
  infer_loss(n);
  n.output(1, n.input(0));
}

void lower(Lower& n) {
  const Shape& x = n.shape(0);
  const BufferId log_prob =
      n.has_output(1) ? n.out(1) : n.scratch(n.elem(0), product(x), "log_prob");
  n.call("softmax_axis", SoftmaxAxisShape<Dim>{x[0], x[1], product(x, 2, x.size()), true})
      .in(0)
      .write(log_prob);
  lower_loss(n, log_prob);
}

// By way of the log-probabilities, which forward computes, too: with v the derivative by them,
// v - softmax * sum of v over the classes.
void gradient(Gradient& n) {
  n.shape(0);
  const Term log_prob = n.y(1);
  std::vector<Value*> xs = {log_prob};
  if (n.wants(2)) xs.push_back(n.x(2));
  std::vector<Value*> found(xs.size());
  if (n.has_dy(0)) found = n.builder().pull_back({{loss_of(n, log_prob), n.dy()}}, xs);
  n.zero(0);
  if (n.has_input(2)) n.zero(2);
  if (n.wants(2) && found[1]) n.dx(2, n.builder().term(found[1]));
  Term v = found[0] ? n.builder().term(found[0]) : n.dy_or_zero(1);
  if (found[0] && n.has_dy(1)) v = v + n.dy(1);
  if (n.wants(0)) n.dx(0, v - apply("Exp", log_prob) * sum_over(v, {1}, true));
}

constexpr Op rows[] = {{
    .name = "SoftmaxCrossEntropyLoss",
    .versions = "12 13",
    .inputs = "scores:T labels:Tind weights:T?",
    .outputs = "output:T log_prob:T?",
    .types = "T: floats; Tind: int32 int64",
    .attributes = "ignore_index:int reduction:string=mean",
    .infer = infer,
    .lower = lower,
    .gradient = gradient,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::softmax_cross_entropy_loss

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

constexpr Op rows[] = {{
    .name = "SoftmaxCrossEntropyLoss",
    .versions = "12 13",
    .inputs = "scores:T labels:Tind weights:T?",
    .outputs = "output:T log_prob:T?",
    .types = "T: floats; Tind: int32 int64",
    .attributes = "ignore_index:int reduction:string=mean",
    .infer = infer,
    .lower = lower,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::softmax_cross_entropy_loss

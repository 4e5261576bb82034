// NegativeLogLikelihoodLoss: the loss of log-probabilities against class indices.
#include "compiler/ops/training/loss.hpp"

namespace onnxc::ops::negative_log_likelihood_loss {
namespace {

void lower(Lower& n) { lower_loss(n, n.in(0)); }

void gradient(Gradient& n) {
  n.shape(0);
  n.by_definition({loss_of(n, n.x())});
}

constexpr Op rows[] = {{
    .name = "NegativeLogLikelihoodLoss",
    .versions = "12 13 22",
    .inputs = "input:T target:Tind weight:T?",
    .outputs = "loss:T",
    .types = "T: floats; Tind: int32 int64",
    .attributes = "ignore_index:int reduction:string=mean",
    .infer = infer_loss,
    .lower = lower,
    .gradient = gradient,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::negative_log_likelihood_loss

// Checks and lowering of losses over class indices.
#include "compiler/ops/training/loss.hpp"

#include "compiler/ops/window.hpp"
#include "templates/training/loss.hpp"
#include "templates/training/training_calls.hpp"

namespace onnxc::ops {
namespace {

std::int64_t reduction(const NodeView& n) {
  const std::string& r = n.attr_string("reduction");
  if (r == "none") return Reduction::kNone;
  if (r == "sum") return Reduction::kSum;
  n.require(r == "mean", "attribute \"reduction\"", "{} is no reduction", quoted(r));
  return Reduction::kMean;
}

}  // namespace

void infer_loss(Infer& n) {
  const bool whole = reduction(n) == Reduction::kNone;
  if (n.has_rank(0)) {
    const Shape& x = n.shape(0);
    n.require(x.size() >= 2, input_field(0, "scores"), "rank {}, needs at least 2", x.size());
    require_vector(n, 2, "weights", x[1]);
    if (n.has_rank(1)) {
      Shape want = x;
      want.erase(want.begin() + 1);
      const Shape& t = n.shape(1);
      n.require(t.size() == want.size(), input_field(1, "target"), "rank {}, needs {}", t.size(),
                want.size());
      for (std::size_t i = 0; i < t.size(); ++i) n.same(t[i], want[i], input_field(1, "target"));
    }
  }
  if (!whole) return n.output(0, n.elem(0), Shape{});
  n.output(0, n.elem(0), n.has_rank(1) ? std::optional(n.shape(1)) : std::nullopt);
}

void lower_loss(Lower& n, BufferId scores) {
  const Shape& x = n.shape(0);
  const auto ignored = n.find_int("ignore_index");
  Call call =
      n.call("nll_loss", NllLossShape<Dim>{x[0], x[1], product(x, 2, x.size()), reduction(n),
                                           ignored.has_value(), ignored.value_or(0)});
  call.read(scores).in(1).in(2, n.elem(0)).out(0);
}

// Element p of the result is that of class target[p].
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
  if (ignored.value)
    weights = choose(ignored, 0.0, weights.value ? weights : n.builder().filled(1, loss));
  if (weights.value) loss = loss * weights;
  const std::int64_t how = reduction(n);
  if (how == Reduction::kNone) return loss;
  if (how == Reduction::kMean && !weights.value)
    return n.emit("ReduceMean", {loss}, {{"keepdims", std::int64_t{0}}});
  const Term sum = sum_over(loss, {}, false);
  return how == Reduction::kSum ? sum : sum / sum_over(weights, {}, false);
}

}  // namespace onnxc::ops

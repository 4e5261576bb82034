// Adagrad, Adam and Momentum: one training step for any number of tensors.
#include <cmath>

#include "compiler/ops/training/optimizer.hpp"
#include "templates/training/training_calls.hpp"

namespace onnxc::ops::optimizers {
namespace {

void infer_adagrad(Infer& n) { infer_optimizer(n, 3); }
void infer_adam(Infer& n) { infer_optimizer(n, 4); }

bool nesterov(const NodeView& n) {
  const std::string& mode = n.attr_string("mode");
  n.require(mode == "standard" || mode == "nesterov", "attribute \"mode\"", "{} is no mode",
            quoted(mode));
  return mode == "nesterov";
}

void infer_momentum(Infer& n) {
  nesterov(n);
  infer_optimizer(n, 3);
}

void lower_adagrad(Lower& n) {
  lower_optimizer(n, 3, [&](const Dim& count) {
    return n.call("adagrad",
                  AdagradShape<Dim>{count, n.attr_float("decay_factor"), n.attr_float("epsilon"),
                                    n.attr_float("norm_coefficient")});
  });
}

// The kernel uses it for positive numbers only.
float log_of(float x) {
  return x > 0 ? static_cast<float>(std::log(static_cast<double>(x))) : 0.0f;
}

void lower_adam(Lower& n) {
  const float alpha = n.attr_float("alpha"), beta = n.attr_float("beta");
  lower_optimizer(n, 4, [&](const Dim& count) {
    return n.call("adam", AdamShape<Dim>{count, alpha, beta, log_of(alpha), log_of(beta),
                                         n.attr_float("epsilon"), n.attr_float("norm_coefficient"),
                                         n.attr_float("norm_coefficient_post")});
  });
}

void lower_momentum(Lower& n) {
  lower_optimizer(n, 3, [&](const Dim& count) {
    return n.call("momentum", MomentumShape<Dim>{count, n.attr_float("alpha"), n.attr_float("beta"),
                                                 n.attr_float("norm_coefficient"), nesterov(n)});
  });
}

constexpr std::string_view kDomain = "ai.onnx.preview.training";
constexpr std::string_view kTypes = "T1: float double; T2: int64; T3: float double";

constexpr Op rows[] = {
    {
        .name = "Adagrad",
        .domain = kDomain,
        .versions = "1",
        .inputs = "R:T1 T:T2 inputs:T3~",
        .outputs = "outputs:T3~",
        .types = kTypes,
        .attributes = "decay_factor:float=0 epsilon:float=1e-6 norm_coefficient:float=0",
        .infer = infer_adagrad,
        .lower = lower_adagrad,
    },
    {
        .name = "Adam",
        .domain = kDomain,
        .versions = "1",
        .inputs = "R:T1 T:T2 inputs:T3~",
        .outputs = "outputs:T3~",
        .types = kTypes,
        .attributes =
            "alpha:float=0.9 beta:float=0.999 epsilon:float=1e-6 norm_coefficient:float=0 "
            "norm_coefficient_post:float=0",
        .infer = infer_adam,
        .lower = lower_adam,
    },
    {
        .name = "Momentum",
        .domain = kDomain,
        .versions = "1",
        .inputs = "R:T1 T:T2 inputs:T3~",
        .outputs = "outputs:T3~",
        .types = kTypes,
        .attributes = "alpha:float! beta:float! mode:string! norm_coefficient:float!",
        .infer = infer_momentum,
        .lower = lower_momentum,
    },
};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::optimizers

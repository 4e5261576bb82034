// Adagrad, Adam and Momentum: one training step for any number of tensors.
#include "compiler/ops/training/optimizer.hpp"

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
  for (std::size_t i = 0; i < optimized_count(n, 3); ++i) {
    Call call = optimizer_call(n, "adagrad", i);
    call.real("decay", n.attr_float("decay_factor")).real("epsilon", n.attr_float("epsilon"));
    call.real("norm", n.attr_float("norm_coefficient"));
    add_tensors(call, n, 3, i);
  }
}

void lower_adam(Lower& n) {
  for (std::size_t i = 0; i < optimized_count(n, 4); ++i) {
    Call call = optimizer_call(n, "adam", i);
    call.real("alpha", n.attr_float("alpha")).real("beta", n.attr_float("beta"));
    call.real("epsilon", n.attr_float("epsilon")).real("norm", n.attr_float("norm_coefficient"));
    call.real("norm_post", n.attr_float("norm_coefficient_post"));
    add_tensors(call, n, 4, i);
  }
}

void lower_momentum(Lower& n) {
  for (std::size_t i = 0; i < optimized_count(n, 3); ++i) {
    Call call = optimizer_call(n, "momentum", i);
    call.real("alpha", n.attr_float("alpha")).real("beta", n.attr_float("beta"));
    call.real("norm", n.attr_float("norm_coefficient")).flag("nesterov", nesterov(n));
    add_tensors(call, n, 3, i);
  }
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

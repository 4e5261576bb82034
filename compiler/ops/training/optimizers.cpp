// Adagrad, Adam and Momentum: one training step for any number of tensors.
#include <cmath>

#include "compiler/kernels/training_calls.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"

namespace onnxc::ops::optimizers {
namespace {

// The number of optimised tensors.
std::size_t optimized_count(const NodeView& n, std::size_t groups) {
  const std::size_t tensors = n.input_count() < 2 ? 0 : n.input_count() - 2;
  n.require(tensors > 0 && tensors % groups == 0, "inputs", "{} tensors are no {} groups", tensors,
            groups);
  return tensors / groups;
}

// Inputs are the scalars R and T, then `groups` groups of tensors (X, G and the states), one entry
// per optimised tensor; the outputs are all of them but G.
void infer_optimizer(Infer& n, std::size_t groups) {
  const std::size_t count = optimized_count(n, groups);
  n.require(n.output_count() == count * (groups - 1), "outputs", "{}, needs {}", n.output_count(),
            count * (groups - 1));
  for (std::size_t i = 0; i < 2; ++i) n.one_value(i, fmt::format("input {}", i));
  for (std::size_t g = 0; g < groups; ++g) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = 2 + g * count + i;
      const Type &x = n.input(2 + i), &other = n.input(at);
      const bool known = x.is_static() && other.is_static();
      n.require(x.elem == other.elem && (!known || *x.shape == *other.shape),
                fmt::format("input {}", at), "is {}, the tensor is {}", other.to_string(),
                x.to_string());
      if (x.has_rank() && other.has_rank()) {
        n.require(x.rank() == other.rank(), fmt::format("input {}", at), "rank {}, needs {}",
                  other.rank(), x.rank());
        for (std::size_t k = 0; k < x.rank(); ++k)
          n.same((*x.shape)[k], (*other.shape)[k], fmt::format("input {}", at));
      }
      if (g != 1) n.output((g == 0 ? 0 : g - 1) * count + i, n.input(2 + i));
    }
  }
}

// Adds the results for tensor i of `count`: it and its states change in place; the gradient, the
// second group, does not.
void change_in_place(Call& call, std::size_t groups, std::size_t count, std::size_t i) {
  for (std::size_t g = 0; g + 1 < groups; ++g) call.out(g * count + i);
  for (std::size_t g = 0; g + 1 < groups; ++g)
    call.may_share(2 + (g == 0 ? 0 : g + 1) * count + i, g * count + i);
}

// Calls a kernel for each tensor: `start` makes the call for `count` elements, this adds buffers.
void lower_optimizer(Lower& n, std::size_t groups,
                     const std::function<Call(const Dim& count)>& start) {
  const std::size_t count = optimized_count(n, groups);
  for (std::size_t i = 0; i < count; ++i) {
    Call call = start(product(n.shape(2 + i))).in({0, 1});
    for (std::size_t g = 0; g < groups; ++g) call.in(2 + g * count + i);
    change_in_place(call, groups, count, i);
  }
}

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

AdamShape<Dim> adam_shape(const Lower& n, const Dim& count) {
  const float alpha = n.attr_float("alpha"), beta = n.attr_float("beta");
  return {count,
          alpha,
          beta,
          log_of(alpha),
          log_of(beta),
          n.attr_float("epsilon"),
          n.attr_float("norm_coefficient"),
          n.attr_float("norm_coefficient_post")};
}

void lower_adam(Lower& n) {
  lower_optimizer(n, 4, [&](const Dim& count) { return n.call("adam", adam_shape(n, count)); });
}

void infer_adam_decayed(Infer& n) {
  for (std::size_t i = 0; i < 3; ++i) n.output(i, n.input(2));
}

void lower_adam_decayed(Lower& n) {
  Call call = n.call("adam_decayed", adam_shape(n, product(n.shape(2))));
  change_in_place(call.in({0, 1, 2, 3, 4, 5, 6}), 4, 1, 0);
}

void lower_momentum(Lower& n) {
  lower_optimizer(n, 3, [&](const Dim& count) {
    return n.call("momentum", MomentumShape<Dim>{count, n.attr_float("alpha"), n.attr_float("beta"),
                                                 n.attr_float("norm_coefficient"), nesterov(n)});
  });
}

constexpr std::string_view kDomain = "ai.onnx.preview.training";
constexpr std::string_view kTypes = "T1: float double; T2: int64; T3: float double";
constexpr std::string_view kAdamAttributes =
    "alpha:float=0.9 beta:float=0.999 epsilon:float=1e-6 norm_coefficient:float=0 "
    "norm_coefficient_post:float=0";

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
        .attributes = kAdamAttributes,
        .infer = infer_adam,
        .lower = lower_adam,
    },
    // Adam of one tensor, on X times `kept`: weight decay.
    {
        .name = "AdamDecayed",
        .domain = "onnxc",
        .versions = "1",
        .inputs = "R:T1 T:T2 X:T3 G:T3 V:T3 H:T3 kept:T3",
        .outputs = "X_new:T3 V_new:T3 H_new:T3",
        .types = kTypes,
        .attributes = kAdamAttributes,
        .infer = infer_adam_decayed,
        .lower = lower_adam_decayed,
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

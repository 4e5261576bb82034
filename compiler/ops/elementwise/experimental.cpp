// Affine, ParametricSoftplus, ScaledTanh and Scale, experimental operators of the first opsets.
#include "compiler/ops/upgrade.hpp"

namespace onnxc::ops::experimental {
namespace {

// A float attribute as a constant of the type of input 0.
Value* factor(Upgrade& n, const char* name) {
  return n.emit("CastLike", {n.constant(Tensor::scalar(n.attr_float(name))), n.node().inputs[0]});
}

// alpha * x + beta
void upgrade_affine(Upgrade& n) {
  Value* beta = factor(n, "beta");
  Value* scaled = n.emit("Mul", {n.node().inputs[0], factor(n, "alpha")});
  n.mutable_node().inputs = {scaled, beta};
  n.mutable_node().attributes.clear();
  n.to("Add");
}

// alpha * f(beta * x)
void upgrade_scaled(Upgrade& n, const char* f) {
  Value* inner = n.emit("Mul", {n.node().inputs[0], factor(n, "beta")});
  Value* outer = factor(n, "alpha");
  n.mutable_node().inputs = {n.emit(f, {inner}), outer};
  n.mutable_node().attributes.clear();
  n.to("Mul");
}
void upgrade_softplus(Upgrade& n) { upgrade_scaled(n, "Softplus"); }
void upgrade_tanh(Upgrade& n) { upgrade_scaled(n, "Tanh"); }

void upgrade_scale(Upgrade& n) {
  n.set_input(1, factor(n, "scale"));
  n.mutable_node().attributes.clear();
  n.to("Mul");
}

constexpr Op experimental(Op op) {
  op.versions = "1";
  op.deprecated = 10;
  op.types = "T: classic_floats";
  return op;
}

constexpr Op rows[] = {experimental({.name = "Affine",
                                     .inputs = "X:T",
                                     .outputs = "Y:T",
                                     .attributes = "alpha:float=1 beta:float=0",
                                     .upgrade = upgrade_affine}),
                       experimental({.name = "ParametricSoftplus",
                                     .inputs = "X:T",
                                     .outputs = "Y:T",
                                     .attributes = "alpha:float! beta:float!",
                                     .upgrade = upgrade_softplus}),
                       experimental({.name = "ScaledTanh",
                                     .inputs = "input:T",
                                     .outputs = "output:T",
                                     .attributes = "alpha:float! beta:float!",
                                     .upgrade = upgrade_tanh}),
                       experimental({.name = "Scale",
                                     .inputs = "input:T",
                                     .outputs = "output:T",
                                     .attributes = "scale:float=1",
                                     .upgrade = upgrade_scale})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::experimental

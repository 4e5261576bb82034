// Dropout: at inference its input, with a mask of ones.
#include <numeric>

#include "compiler/ops/elementwise.hpp"

namespace onnxc::ops::dropout {
namespace {

// Up to opset 11 the ratio was an attribute, up to 9 the mask had the type of the data. Opsets 1
// and 6 asked for training unless `is_test` was set, which nobody means who compiles a model.
void upgrade(Upgrade& u) {
  if (u.version() >= 12) return;
  u.remove("consumed_inputs");
  u.remove("is_test");
  u.remove("ratio");
  if (u.version() >= 10 || !u.has_output(1)) return;
  Value* mask = u.node().outputs[1];
  Value* flags = u.detach_output(1);
  u.emit_after("CastLike", {flags, u.node().inputs[0]}, mask);
}

void infer(Infer& n) {
  infer_unary(n);
  n.output(1, ElemType::boolean, n.input(0).shape);
}

// A ratio of 0 drops nothing, training or not.
bool keeps_all(const NodeView& n) {
  const Tensor* ratio = n.constant(1);
  const Tensor* training = n.constant(2);
  if (!n.has_input(2)) return true;
  if (training && training->size() == 1 && !training->as<bool>()[0]) return true;
  return ratio && ratio->elem() == ElemType::float32 && ratio->size() == 1 &&
         ratio->number(0) == 0.0;
}

void fold(Fold& n) {
  if (!keeps_all(n)) return;
  n.out(0, n.in(0));
  TensorBuilder mask(ElemType::boolean, n.in(0).dims());
  std::fill_n(mask.data<bool>(), mask.size(), true);
  n.out(1, mask.take());
}

// Whether anything is dropped shows at run time only; then it is an error.
void lower_checked(Lower& n) {
  n.call("dropout")
      .dim("count", product(n.shape(0)))
      .in(0)
      .in(1, ElemType::float32)
      .in(2)
      .out(0)
      .out(1)
      .fallible();
}

void lower(Lower& n) {
  const bool trains = n.constant(2) && n.constant(2)->as<bool>()[0];
  if (trains && !keeps_all(n) && (!n.has_input(1) || n.constant(1)))
    n.unsupported("input 2 \"training_mode\"", "random dropping");
  if (!keeps_all(n)) return lower_checked(n);
  n.alias(0, 0);
  if (!n.has_output(1)) return;
  const bool yes = true;
  const Tensor one = Tensor::of<bool>(ElemType::boolean, {1}, std::span(&yes, 1));
  n.call("fill").dim("count", product(n.out_shape(1))).read(n.constant(one, "one")).out(1);
}

constexpr Op rows[] = {{
    .name = "Dropout",
    .versions = "1 6 7 10 12 13 22",
    .inputs = "data:T ratio:T1? training_mode:T2?",
    .outputs = "output:T mask:bool?",
    .types = "T: floats float8; T1: floats float8; T2: bool",
    .attributes = "seed:int@12- ratio:float=0.5@1-11 is_test:int=0@1-6 consumed_inputs:ints@1-5",
    .limits = "random dropping in training mode",
    .upgrade = upgrade,
    .infer = infer,
    .fold = fold,
    .lower = lower,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::dropout

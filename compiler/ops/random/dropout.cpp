// Dropout: in training, sets random elements to 0 and scales up the rest; else returns its input
// and a mask of ones.
#include <numeric>

#include "compiler/kernels/random_calls.hpp"
#include "compiler/kernels/shape_struct.hpp"
#include "compiler/ops/axes.hpp"
#include "compiler/ops/elementwise/elementwise.hpp"
#include "compiler/ops/random/seed.hpp"

namespace onnxc::ops::dropout {
namespace {

// Up to opset 11 the ratio is an attribute, up to 9 the mask has the type of the data. Opsets 1 and
// 6 train unless `is_test` is set, 7 and 10 never do.
void upgrade(Upgrade& u) {
  if (u.version() >= 12) return;
  u.remove("consumed_inputs");
  if (u.version() < 7 && u.attr_int("is_test") == 0) {
    const bool yes = true;
    u.set_input(1, u.constant(Tensor::scalar(u.attr_float("ratio"))));
    u.set_input(2, u.constant(Tensor::of<bool>(ElemType::boolean, {}, std::span(&yes, 1))));
  }
  u.remove("is_test");
  u.remove("ratio");
  if (u.version() >= 10 || !u.has_output(1)) return;
  Value* mask = u.node().outputs[1];
  Value* flags = u.detach_output(1);
  u.emit_after("CastLike", {flags, u.node().inputs[0]}, mask);
}

// NaN when known only at run time.
double constant_ratio(const NodeView& n) {
  const Tensor* t = n.constant(1);
  double ratio = n.has_input(1) ? std::numeric_limits<double>::quiet_NaN() : 0.5;
  if (t && t->size() == 1)
    with_any(t->elem(), [&](auto tag) {
      using T = decltype(tag);
      ratio = static_cast<double>(static_cast<compute_t<T>>(t->as<T>()[0]));
    });
  return ratio;
}

void infer(Infer& n) {
  for (std::size_t i : {1, 2})
    n.one_value(i, i == 1 ? "input 1 \"ratio\"" : "input 2 \"training_mode\"");
  if (n.constant(1)) {
    const double ratio = constant_ratio(n);
    n.require(ratio >= 0 && ratio <= 1, "input 1 \"ratio\"", "{} is not in [0, 1]", ratio);
  }
  infer_unary(n);
  n.output(1, ElemType::boolean, n.input(0).shape);
}

// A ratio of 0 drops nothing, training or not.
bool keeps_all(const NodeView& n) {
  const Tensor* training = n.constant(2);
  if (!n.has_input(2)) return true;
  if (training && training->size() == 1 && !training->as<bool>()[0]) return true;
  return constant_ratio(n) == 0;
}

void fold(Fold& n) {
  if (!keeps_all(n)) return;
  n.out(0, n.in(0));
  if (!n.has_output(1)) return;
  TensorBuilder mask(ElemType::boolean, n.in(0).dims());
  std::fill_n(mask.data<bool>(), mask.size(), true);
  n.out(1, mask.take());
}

void lower_random(Lower& n) {
  const auto seed = n.find_int("seed");
  const auto bits = static_cast<std::uint64_t>(seed.value_or(0));
  const auto mixed = static_cast<std::int64_t>((bits ^ bits >> 31) & 0x7fffffffu);
  Call call =
      n.call("dropout", DropoutShape<Dim>{product(n.shape(0)), static_cast<float>(seed.value_or(0)),
                                          seed ? mixed : stream_of_name(n)});
  call.with_fresh_rng_stream().in(0).in(1, ElemType::float32).in(2).out({0, 1});
}

void lower(Lower& n) {
  if (!keeps_all(n)) return lower_random(n);
  n.alias(0, 0);
  if (!n.has_output(1)) return;
  const bool yes = true;
  const Tensor one = Tensor::of<bool>(ElemType::boolean, {1}, std::span(&yes, 1));
  n.call("fill", CountShape<Dim>{product(n.out_shape(1))}).read(n.constant(one, "one")).out(1);
}

// The mask and the scale of the forward run; a ratio of 1 keeps nothing.
void gradient(Gradient& n) {
  if (keeps_all(n)) return n.dx(0, n.dy());
  const ElemType elem = n.dy().type().elem;
  const Term ratio = n.has_input(1) ? convert(n.x(1), elem) : n.scalar(0.5);
  const Term scale = choose(n.x(2), 1.0 / (1.0 - ratio), 1.0);
  n.dx(0, choose(n.y(1), n.dy() * scale, 0.0));
}

// In inference; training draws the same mask on every device.
void axes(Axes& n) {
  if (n.has_input(2)) return;
  n.same_but(0, 0);
  for (std::size_t axis = 0; n.has_output(1) && axis < n.rank(0); ++axis)
    n.output(1, axis, n.outputs()[0][axis]);
}

constexpr Op rows[] = {{
    .name = "Dropout",
    .versions = "1 6 7 10 12 13 22",
    .inputs = "data:T ratio:T1? training_mode:T2?",
    .outputs = "output:T mask:bool?",
    .types = "T: floats float8; T1: floats float8; T2: bool",
    .attributes = "seed:int@12- ratio:float=0.5@1-11 is_test:int=0@1-6 consumed_inputs:ints@1-5",
    .settings = "ratio",
    .upgrade = upgrade,
    .infer = infer,
    .axes = axes,
    .fold = fold,
    .lower = lower,
    .forwards = [](const Node& n) { return n.inputs.size() < 3 || !n.inputs[2]; },
    .draws = true,
    .gradient = gradient,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::dropout

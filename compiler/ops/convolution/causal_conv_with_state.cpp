// CausalConvWithState: depthwise convolution over time, with the last inputs of the call before as
// state.
#include "compiler/kernels/convolution_calls.hpp"
#include "compiler/ops/elementwise/elementwise.hpp"
#include "compiler/ops/upgrade.hpp"

namespace onnxc::ops::causal_conv_with_state {
namespace {

bool silu(const NodeView& n) {
  const std::string& name = n.attr_string("activation");
  n.require(name == "none" || name == "silu" || name == "swish", "attribute \"activation\"",
            "{} is none of none, silu, swish", quoted(name));
  return name != "none";
}

// Of com.microsoft's operator.
std::int64_t dilation(const NodeView& n) {
  return n.has_attr("dilation") ? n.attr_int("dilation") : 1;
}

void check(const Infer& n, std::size_t i, const char* name, const Shape& want) {
  if (!n.has_rank(i)) return;
  const Shape& shape = n.shape(i);
  bool fits = shape.size() == want.size();
  for (std::size_t k = 0; fits && k < want.size(); ++k)
    fits = !shape[k].is_const() || !want[k].is_const() || shape[k] == want[k];
  n.require(fits, fmt::format("input {} \"{}\"", i, name), "{}, needs {}", to_string(shape),
            to_string(want));
  for (std::size_t k = 0; k < want.size(); ++k)
    n.same(shape[k], want[k], fmt::format("input {} \"{}\"", i, name));
}

void infer(Infer& n) {
  silu(n);
  n.output(0, n.input(0));
  n.output(1, n.elem(0), std::nullopt);
  if (!n.has_rank(0) || !n.has_rank(1)) return;
  const Shape &x = n.shape(0), &w = n.shape(1);
  n.require(x.size() == 3, "input 0 \"input\"", "rank {}, needs 3", x.size());
  n.require(w.size() == 3, "input 1 \"weight\"", "rank {}, needs 3", w.size());
  n.at_least(w[2], 1, "input 1 \"weight\"");
  check(n, 1, "weight", Shape{x[1], 1, w[2]});
  check(n, 2, "bias", Shape{x[1]});
  const Shape state{x[0], x[1], (w[2] - 1) * dilation(n)};
  check(n, 3, "past_state", state);
  n.output(1, n.elem(0), state);
}

void lower(Lower& n) {
  const Shape& x = n.shape(0);
  Call call = n.call("causal_conv",
                     CausalConvShape<Dim>{x[0], x[1], x[2], n.shape(1)[2], dilation(n), silu(n)});
  call.in({0, 1}).in(2, n.elem(0)).in(3, n.elem(0)).out(0).out(1, n.elem(0));
  call.macs(product(x) * n.shape(1)[2]);
}

// A depthwise Conv of the state, zeros if there is none, followed by the input.
void gradient(Gradient& n) {
  n.require_known(n.shape(0)[1].is_const(), "input 0 \"input\"",
                  "the gradient needs a number of channels known at compile time");
  const auto part = [&](std::size_t i, std::int64_t start, std::int64_t end) {
    return n.emit("Shape", {n.x(i)}, {{"start", start}, {"end", end}});
  };
  const Term taps = part(1, 2, 3), state_length = (taps - n.list({1})) * n.list({dilation(n)});
  const Term zero = n.emit("Reshape", {n.builder().scalar(0, n.input(0).elem), n.list({1})});
  Term state;
  if (n.has_input(3))
    state = n.x(3);
  else
    state = n.emit("Expand", {zero, n.emit("Concat", {part(0, 0, 2), state_length},
                                           {{"axis", std::int64_t{0}}})});
  const Term whole = n.emit("Concat", {state, n.x(0)}, {{"axis", std::int64_t{2}}});
  std::vector<Value*> operands = {whole, n.x(1)};
  if (n.has_input(2)) operands.push_back(n.x(2));
  Term y = n.emit(
      "Conv", operands,
      {{"group", n.shape(0)[1].value()}, {"dilations", std::vector<std::int64_t>{dilation(n)}}});
  if (silu(n)) y = y * apply("Sigmoid", y);
  const Term length = part(0, 2, 3);
  const Term present = n.emit("Slice", {whole, length, length + state_length, n.list({2})});
  n.by_definition({y, present});
}

// com.microsoft's operator may have channels last, in its state, too.
void upgrade_contrib(Upgrade& n) {
  for (const char* name : {"ndim", "state_window"}) {
    const std::int64_t wanted = n.attr_int(name), most = name == std::string("ndim") ? 1 : 0;
    if (wanted != most)
      n.unsupported("attribute " + quoted(name), fmt::format("only {} is supported", most));
    n.remove(name);
  }
  n.require(dilation(n) >= 1, "attribute \"dilation\"", "{} is below 1", dilation(n));
  const bool channels_last = n.attr_int("channels_last") != 0;
  n.remove("channels_last");
  if (!channels_last) return;
  const Attributes swapped = {{"perm", std::vector<std::int64_t>{0, 2, 1}}};
  for (std::size_t i : {0, 3})
    if (n.has_input(i)) n.set_input(i, n.emit("Transpose", {n.node().inputs[i]}, swapped));
  for (std::size_t i : {0, 1}) {
    if (!n.has_output(i)) continue;
    Value* out = n.node().outputs[i];
    n.emit_after("Transpose", {n.detach_output(i)}, out, swapped);
  }
}

constexpr Op causal_conv() {
  return {
      .name = "CausalConvWithState",
      .versions = "27",
      .inputs = "input:T weight:T bias:T? past_state:T?",
      .outputs = "output:T present_state:T?",
      .types = "T: float float16 bfloat16",
      .attributes = "activation:string=none",
      .infer = infer,
      .lower = lower,
      .gradient = gradient,
  };
}

constexpr Op contrib_causal_conv() {
  Op row = contrib(causal_conv());
  row.attributes =
      "activation:string=none channels_last:int=0 dilation:int=1 ndim:int=1 "
      "state_window:int=0";
  row.limits = "ndim, state_window";
  row.upgrade = upgrade_contrib;
  return row;
}

constexpr Op rows[] = {causal_conv(), contrib_causal_conv()};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::causal_conv_with_state

// com.microsoft QLinearAveragePool, QLinearGlobalAveragePool, QLinearSoftmax, QLinearReduceMean,
// QLinearWhere and QLinearConcat: float operators between DequantizeLinear and QuantizeLinear.
#include <iterator>
#include <utility>

#include "compiler/ops/upgrade.hpp"

namespace onnxc::ops::qlinear_ops {
namespace {

Value* input(const Upgrade& n, std::size_t i) {
  return n.has_input(i) ? n.node().inputs[i] : nullptr;
}

Value* dequantize(Upgrade& n, Value* x, Value* scale, Value* zero) {
  return n.emit("DequantizeLinear", {x, scale, zero});
}

// A zero point of x's type: QuantizeLinear takes the type of its result from it.
Value* zero_like(Upgrade& n, Value* zero, Value* x) {
  return zero ? zero : n.emit("CastLike", {n.constant(Tensor::scalar(std::int64_t{0})), x});
}

Value* move_axis(Upgrade& n, Value* x, std::int64_t from, std::int64_t to) {
  return n.emit("onnxc::MoveAxis", {x}, {{"from", from}, {"to", to}});
}

// The node becomes `op_type` of x, followed by QuantizeLinear.
void become(Upgrade& n, const char* op_type, std::vector<Value*> inputs, Value* scale,
            Value* zero) {
  Value* out = n.mutable_node().outputs[0];
  Value* y = n.detach_output(0);
  n.emit_after("QuantizeLinear", {y, scale, zero}, out);
  n.mutable_node().inputs = std::move(inputs);
  n.to(op_type);
}

// Moving ties by an even number does not change what they round to.
bool is_even(const Value* zero) {
  if (!zero) return true;
  if (!zero->constant || zero->constant->size() != 1 || !is_integer(zero->constant->elem()))
    return false;
  return zero->constant->to_int64s()[0] % 2 == 0;
}

// QuantizeLinear rounds before it adds the zero point; this one, the last node of `become`, adds it
// first, as ONNX Runtime does in some operators.
void round_last(Upgrade& n) {
  Node& quantize = *n.after.back();
  Value *y = quantize.inputs[0], *scale = quantize.inputs[1], *zero = quantize.inputs[2];
  if (is_even(zero)) return;
  const auto to_float = static_cast<std::int64_t>(ElemType::float32);
  Value* offset = n.emit("Mul", {n.emit("Cast", {zero}, {{"to", to_float}}), scale});
  Value* none = zero_like(n, nullptr, zero);
  Value* sum = n.graph().add_value(n.graph().fresh_name(y->name));
  n.emit_after("Add", {y, offset}, sum);
  quantize.inputs.set(0, sum);
  quantize.inputs.set(2, none);
  std::swap(n.after.back(), *std::prev(n.after.end(), 2));
}

bool take_channels_last(Upgrade& n) {
  const bool last = n.attr_int("channels_last") != 0;
  n.remove("channels_last");
  return last;
}

// Channels that came last are moved last again.
void move_channels_last(Upgrade& n) {
  Node& quantize = *n.after.back();
  Value* out = quantize.outputs[0];
  Value* moved = n.graph().add_value(n.graph().fresh_name(out->name));
  quantize.outputs = {moved};
  n.emit_after("onnxc::MoveAxis", {moved}, out,
               {{"from", std::int64_t{1}}, {"to", std::int64_t{-1}}});
}

void pool(Upgrade& n, const char* op_type, bool rounds_last) {
  const bool last = take_channels_last(n);
  Value* x = input(n, 0);
  Value* data = dequantize(n, x, input(n, 1), input(n, 2));
  if (last) data = move_axis(n, data, -1, 1);
  become(n, op_type, {data}, input(n, 3), zero_like(n, input(n, 4), x));
  if (rounds_last) round_last(n);
  if (last) move_channels_last(n);
}
void upgrade_average(Upgrade& n) { pool(n, "AveragePool", true); }
void upgrade_global(Upgrade& n) { pool(n, "GlobalAveragePool", false); }

// Before opset 13 Softmax runs over all axes from `axis` on.
void upgrade_softmax(Upgrade& n) {
  const bool flat = n.attr_int("opset") < 13;
  const std::int64_t axis = n.attr_int("axis");
  Value* x = input(n, 0);
  Value* data = dequantize(n, x, input(n, 1), input(n, 2));
  Value *scale = input(n, 3), *zero = zero_like(n, input(n, 4), x);
  n.mutable_node().attributes = {{"axis", flat ? std::int64_t{-1} : axis}};
  if (!flat) return become(n, "Softmax", {data}, scale, zero);
  Value* shape = n.emit("Shape", {x});
  Value* out = n.node().outputs[0];
  Value* inner = n.graph().add_value(n.graph().fresh_name(out->name));
  become(n, "Softmax", {n.emit("Flatten", {data}, {{"axis", axis}})}, scale, zero);
  n.after.back()->outputs = {inner};
  n.emit_after("Reshape", {inner, shape}, out, {{"allowzero", std::int64_t{1}}});
}

void upgrade_mean(Upgrade& n) {
  Value* x = input(n, 0);
  Value* axes = n.constant(Tensor::ints(n.attr_ints("axes")));
  n.remove("axes");
  become(n, "ReduceMean", {dequantize(n, x, input(n, 1), input(n, 2)), axes}, input(n, 3),
         zero_like(n, input(n, 4), x));
}

void upgrade_where(Upgrade& n) {
  Value* x = dequantize(n, input(n, 1), input(n, 2), input(n, 3));
  Value* y = dequantize(n, input(n, 4), input(n, 5), input(n, 6));
  become(n, "Where", {input(n, 0), x, y}, input(n, 7), zero_like(n, input(n, 8), input(n, 1)));
}

bool same_constant(const Value* a, const Value* b) {
  if (a == b) return true;
  if (!a || !b || !a->constant || !b->constant || a->constant->size() != 1 ||
      b->constant->size() != 1 || a->constant->elem() != b->constant->elem())
    return false;
  return a->constant->number(0) == b->constant->number(0);
}

// Each input is requantised unless it has the result's scale and zero point.
void upgrade_concat(Upgrade& n) {
  const std::vector<Value*> inputs = n.node().inputs;
  n.require(inputs.size() >= 5 && inputs.size() % 3 == 2, "inputs",
            "{} of them; after two come triples", inputs.size());
  std::vector<Value*> parts;
  for (std::size_t i = 2; i < inputs.size(); i += 3) {
    Value *x = inputs[i], *scale = inputs[i + 1], *zero = inputs[i + 2];
    const bool same = same_constant(scale, inputs[0]) && same_constant(zero, inputs[1]);
    parts.push_back(
        same ? x : n.emit("QuantizeLinear", {dequantize(n, x, scale, zero), inputs[0], inputs[1]}));
  }
  n.mutable_node().inputs = std::move(parts);
  n.to("Concat");
}

constexpr std::string_view kTypes = "T: int8 uint8";

constexpr Op rows[] = {
    contrib({
        .name = "QLinearAveragePool",
        .inputs = "X:T x_scale:float x_zero_point:T? y_scale:float y_zero_point:T?",
        .outputs = "Y:T",
        .types = kTypes,
        .attributes = "auto_pad:string=NOTSET ceil_mode:int=0 channels_last:int=0 "
                      "count_include_pad:int=0 kernel_shape:ints! pads:ints strides:ints",
        .upgrade = upgrade_average,
    }),
    contrib({
        .name = "QLinearGlobalAveragePool",
        .inputs = "X:T x_scale:float x_zero_point:T y_scale:float y_zero_point:T",
        .outputs = "Y:T",
        .types = kTypes,
        .attributes = "channels_last:int=0",
        .upgrade = upgrade_global,
    }),
    contrib({
        .name = "QLinearSoftmax",
        .inputs = "X:T X_scale:float x_zero_point:T? y_scale:float y_zero_point:T",
        .outputs = "Y:T",
        .types = kTypes,
        .attributes = "axis:int=-1 opset:int!",
        .upgrade = upgrade_softmax,
    }),
    contrib({
        .name = "QLinearReduceMean",
        .inputs = "data:T data_scale:float data_zero_point:T? reduced_scale:float "
                  "reduced_zero_point:T?",
        .outputs = "reduced:T",
        .types = kTypes,
        .attributes = "axes:ints! keepdims:int!",
        .upgrade = upgrade_mean,
    }),
    contrib({
        .name = "QLinearWhere",
        .inputs = "condition:bool X:T x_scale:float x_zero_point:T Y:T y_scale:float "
                  "y_zero_point:T z_scale:float z_zero_point:T",
        .outputs = "Z:T",
        .types = kTypes,
        .upgrade = upgrade_where,
    }),
    contrib({
        .name = "QLinearConcat",
        .inputs = "Y_scale:float Y_zero_point:T inputs:TV~",
        .outputs = "Y:T",
        .types = "T: int8 uint8; TV: int8 uint8 float",
        .attributes = "axis:int!",
        .upgrade = upgrade_concat,
    })};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::qlinear_ops

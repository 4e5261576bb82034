// com.microsoft DynamicQuantizeLSTM: LSTM with 8-bit weights. The weights are dequantised to
// float32. The data, which ONNX Runtime quantises in every time step, stay float32.
#include "compiler/ops/upgrade.hpp"

namespace onnxc::ops::dynamic_quantize_lstm {
namespace {

// Dequantises weights [directions, columns, 4 * hidden], with a scale and zero point for each
// direction or column.
Value* dequantized_weights(Upgrade& n, Value* w, Value* scale, Value* zero) {
  const std::int64_t scale_shape[] = {0, 1, -1};
  Value* shape = n.constant(Tensor::ints(scale_shape));
  Value* one = n.constant(Tensor::scalar(1.0f));
  const auto as_float = [&](Value* x) { return n.emit("DequantizeLinear", {x, one}); };
  Value* shift = n.emit("Reshape", {as_float(zero), shape});
  Value* factor = n.emit("Reshape", {scale, shape});
  Value* dequantized = n.emit("Mul", {n.emit("Sub", {as_float(w), shift}), factor});
  return n.emit("Transpose", {dequantized}, {{"perm", std::vector<std::int64_t>{0, 2, 1}}});
}

void upgrade(Upgrade& n) {
  std::vector<Value*> in = n.node().inputs;
  Value* w = dequantized_weights(n, in[1], in[8], in[9]);
  Value* r = dequantized_weights(n, in[2], in[10], in[11]);
  n.mutable_node().inputs = {in[0], w, r, in[3], in[4], in[5], in[6], in[7]};
  n.to("LSTM");
}

constexpr Op rows[] = {contrib({
    .name = "DynamicQuantizeLSTM",
    .inputs = "X:T W:T2 R:T2 B:T? sequence_lens:int32? initial_h:T? initial_c:T? P:T? W_scale:T "
              "W_zero_point:T2 R_scale:T R_zero_point:T2",
    .outputs = "Y:T? Y_h:T? Y_c:T?",
    .types = "T: float; T2: int8 uint8",
    .attributes = "activation_alpha:floats activation_beta:floats activations:strings clip:float "
                  "direction:string=forward hidden_size:int input_forget:int=0",
    .upgrade = upgrade,
})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::dynamic_quantize_lstm

// com.microsoft MatMulIntegerToFloat, DynamicQuantizeMatMul and QGemm: products of 8-bit matrices
// with a float or quantised result.
#include "compiler/ops/matmul/quantized_product.hpp"

namespace onnxc::ops::quantized_mat_mul {
namespace {

std::vector<Value*> inputs_of(const Upgrade& n, std::size_t count) {
  std::vector<Value*> inputs = n.node().inputs;
  inputs.resize(count, nullptr);
  return inputs;
}

// The node becomes an Identity of the product.
void finish(Upgrade& n, Value* product) {
  n.mutable_node().inputs = {product};
  n.mutable_node().attributes.clear();
  n.to("Identity");
}

void upgrade_to_float(Upgrade& n) {
  const std::vector<Value*> in = inputs_of(n, 7);
  finish(n, emit_product(n, {.a = in[0],
                             .b = in[1],
                             .a_scale = in[2],
                             .b_scale = in[3],
                             .a_zero = in[4],
                             .b_zero = in[5],
                             .bias = in[6]}));
}

void upgrade_dynamic(Upgrade& n) {
  const std::vector<Value*> in = inputs_of(n, 5);
  const std::vector<Value*> a = n.emit_all("DynamicQuantizeLinear", {in[0]}, 3);
  finish(n, emit_product(n, {.a = a[0],
                             .b = in[1],
                             .a_scale = a[1],
                             .b_scale = in[2],
                             .a_zero = a[2],
                             .b_zero = in[3],
                             .bias = in[4]}));
}

Value* turned(Upgrade& n, Value* x, const std::string& attribute) {
  if (n.attr_int(attribute) == 0) return x;
  return n.emit("Transpose", {x}, {{"perm", std::vector<std::int64_t>{1, 0}}});
}

void upgrade_gemm(Upgrade& n) {
  const std::vector<Value*> in = inputs_of(n, 9);
  n.require(!in[7] == !in[8], "inputs", "y_scale and y_zero_point go together");
  Value* y = emit_product(n, {.a = turned(n, in[0], "transA"),
                              .b = turned(n, in[3], "transB"),
                              .a_scale = in[1],
                              .b_scale = in[4],
                              .a_zero = in[2],
                              .b_zero = in[5],
                              .summand = in[6],
                              .alpha = n.attr_float("alpha")});
  if (!in[7]) return finish(n, y);
  n.mutable_node().inputs = {y, in[7], in[8]};
  n.mutable_node().attributes.clear();
  n.to("QuantizeLinear");
}

constexpr Op rows[] = {
    contrib({
        .name = "MatMulIntegerToFloat",
        .inputs = "A:T1 B:T2 a_scale:T3 b_scale:T3 a_zero_point:T1? b_zero_point:T2? bias:T3?",
        .outputs = "Y:T3",
        .types = "T1: int8 uint8; T2: int8 uint8; T3: float float16",
        .upgrade = upgrade_to_float,
    }),
    contrib({
        .name = "DynamicQuantizeMatMul",
        .inputs = "A:T1 B:T2 b_scale:T1 b_zero_point:T2? bias:T1?",
        .outputs = "Y:T1",
        .types = "T1: float; T2: int8 uint8",
        .upgrade = upgrade_dynamic,
    }),
    contrib({
        .name = "QGemm",
        .inputs = "A:TA a_scale:float a_zero_point:TA B:TB b_scale:float b_zero_point:TB C:int32? "
                  "y_scale:float? y_zero_point:TYZ?",
        .outputs = "Y:TY",
        .types = "TA: int8 uint8; TB: int8 uint8; TYZ: int8 uint8; TY: float int8 uint8",
        .attributes = "alpha:float=1 transA:int=0 transB:int=0",
        .upgrade = upgrade_gemm,
    })};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::quantized_mat_mul

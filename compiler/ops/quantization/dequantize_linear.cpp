// DequantizeLinear: (x - zero point) * scale.
#include "compiler/ops/axes.hpp"
#include "compiler/ops/elementwise/elementwise.hpp"
#include "compiler/ops/quantization/quantize.hpp"

#include "templates/quantization/quantize.hpp"

namespace onnxc::ops::dequantize_linear {
namespace {

ElemType result_elem(const NodeView& n) {
  if (n.attr_int("output_dtype") != 0) return n.attr_elem_type("output_dtype");
  return n.input(1).elem == ElemType::float8e8m0 ? ElemType::float32 : n.input(1).elem;
}

void infer(Infer& n) {
  check_scale(n);
  Type y = n.input(0);
  y.elem = result_elem(n);
  n.require(contains(signature(*n.node().op).outputs[0].mask, y.elem), "attribute \"output_dtype\"",
            "{} is no real type", info(y.elem).onnx_name);
  n.output(0, y);
}

struct Walk {
  Index outer, count, inner, block, scale_outer, scale_axis, scale_inner;
};

template <class X, class Y>
void fold_as(Fold& n) {
  const ScaleStrides<Dim> w = scale_strides(n);
  const Walk s{w.outer.value(),       w.count.value(),      w.inner.value(),      w.block.value(),
               w.scale_outer.value(), w.scale_axis.value(), w.scale_inner.value()};
  TensorBuilder y(n.out_elem(0), n.out_dims(0));
  const X* zero = n.has_input(2) ? n.in(2).as<X>().data() : nullptr;
  onnxc::dequantize_linear(s, n.in(0).as<X>().data(), n.in(1).as<Y>().data(), zero, y.data<Y>());
  n.out(0, y.take());
}

// Integer kernels read the quantised constant again.
void remember_integers(Fold& n) {
  const std::size_t rank = n.in(0).dims().size();
  if (n.attr_int("block_size") != 0 || rank == 0) return;
  QuantizedConstant q{n.in(0), n.in(1), {}, 0};
  if (n.has_input(2)) q.zero_point = n.in(2);
  if (q.scale.size() > 1) q.axis = n.axis(n.attr_int("axis"), rank);
  n.quantized(std::move(q));
}

template <class Y>
void fold_to(Fold& n) {
  switch (n.in(0).elem()) {
    case ElemType::int8:
      return fold_as<std::int8_t, Y>(n);
    case ElemType::uint8:
      return fold_as<std::uint8_t, Y>(n);
    case ElemType::int16:
      return fold_as<std::int16_t, Y>(n);
    case ElemType::uint16:
      return fold_as<std::uint16_t, Y>(n);
    case ElemType::int32:
      return fold_as<std::int32_t, Y>(n);
    case ElemType::int4:
      return fold_as<int4, Y>(n);
    case ElemType::uint4:
      return fold_as<uint4, Y>(n);
    default:
      return;
  }
}

// Folds weights, so that kernels can pack them; rarer types are converted at run time.
void fold(Fold& n) {
  if (n.in(1).elem() != n.out_elem(0)) return;
  remember_integers(n);
  if (n.out_elem(0) == ElemType::float32) return fold_to<float>(n);
  if (n.out_elem(0) == ElemType::float16) return fold_to<float16>(n);
}

void lower(Lower& n) {
  n.call("dequantize_linear", scale_strides(n)).in({0, 1}).in(2, n.elem(0)).out(0);
}

// The scale of each element, where it is that of a block along the axis.
Term of_blocks(const Gradient& n, std::int64_t block) {
  const auto axis = static_cast<std::int64_t>(n.axis(n.attr_int("axis"), n.shape(0).size()));
  const auto number = [&](std::int64_t v) { return n.builder().integer(v); };
  const Term places = n.emit("Range", {number(0), extent_of(n.x(0), axis), number(1)});
  return n.emit("Gather", {n.x(1), places / number(block)}, {{"axis", axis}});
}

// By the scale: (x - zero point) dY, summed over what has one scale.
void gradient(Gradient& n) {
  const Term one = n.builder().filled(1, n.x(1));
  std::vector<Value*> inputs = {n.x(0), one};
  if (n.has_input(2)) inputs.push_back(n.x(2));
  Attributes attributes = n.node().attributes;
  NodeBuilder& b = n.builder();
  const Term integers = b.term(b.add(*n.node().op, inputs, 1, std::move(attributes)).front());
  if (const std::int64_t block = n.attr_int("block_size"); block != 0)
    return n.by_definition({integers * convert(of_blocks(n, block), n.y().type().elem)});
  const Term product = convert(n.dy() * integers, n.x(1).type().elem);
  const Shape& scale = n.shape(1);
  if (scale.empty() || scale[0].is(1) || n.shape(0).empty())
    return n.dx(1, b.reshape(sum_over(product, {}, false), n.x(1)));
  const auto axis = static_cast<std::int64_t>(n.axis(n.attr_int("axis"), n.shape(0).size()));
  std::vector<std::int64_t> axes;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(n.shape(0).size()); ++i)
    if (i != axis) axes.push_back(i);
  n.dx(1, axes.empty() ? product : sum_over(product, axes, false));
}

constexpr Op rows[] = {{
    .name = "DequantizeLinear",
    .versions = "10 13 19 21 23 24 25",
    .inputs = "x:T1 x_scale:T2 x_zero_point:T1?",
    .outputs = "y:T3",
    .types = "T1: int8 uint8 int16 uint16 int32 float8 uint4 int4 float4e2m1 uint2 int2; "
             "T2: float float16 bfloat16 float8e8m0; T3: float float16 bfloat16",
    .attributes = "axis:int=1@13- block_size:int=0@21- output_dtype:int=0@23-",
    .settings = "x_scale",
    .infer = infer,
    .axes = axes_quantized,
    .fold = fold,
    .lower = lower,
    .gradient = gradient,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::dequantize_linear

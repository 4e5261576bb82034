// com.microsoft MoE and QMoE: each token passes the few of many small networks that a router scores
// highest.
#include "templates/matmul/mixture_of_experts.hpp"
#include <algorithm>

#include "compiler/kernels/matmul_calls.hpp"
#include "compiler/ops/fold.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/ops/upgrade.hpp"
#include "compiler/ops/window.hpp"
#include "compiler/support/checked.hpp"

namespace onnxc::ops::mixture_of_experts {
namespace {

constexpr std::size_t kX = 0, kRouter = 1, kAbsent = 99;

// Inputs of a layer.
struct Layer {
  std::size_t w, bias, scales = kAbsent, zeros = kAbsent;
};
constexpr Layer kFloatLayers[] = {{2, 3}, {4, 5}, {6, 7}};
constexpr Layer kPackedLayers[] = {{2, 4, 3, 11}, {5, 7, 6, 12}, {8, 10, 9, 13}};
constexpr std::size_t kRouterWeights = 14;

struct Sizes {
  Dim tokens;
  std::int64_t experts = 0, hidden = 0, inter = 0, k = 0, bits = 0, block = 0;
  Index activation = 0, fusion = 0;
  const Layer* layers = kFloatLayers;

  std::int64_t fused() const { return fusion == kGateSeparate ? 1 : 2; }
};

bool has(const NodeView& n, std::size_t input) { return input != kAbsent && n.has_input(input); }

// As the row of the operator calls the input.
std::string name_of(const NodeView& n, std::size_t input) {
  std::string_view names = n.node().op->inputs;
  for (std::size_t i = 0; i < input; ++i) names.remove_prefix(names.find(' ') + 1);
  return input_field(input, std::string(names.substr(0, names.find(':'))));
}

void read_attributes(const NodeView& n, Sizes& s) {
  static constexpr std::string_view kActivations[] = {"relu", "gelu", "silu", "identity", "swiglu"};
  const std::string& name = n.attr_string("activation_type");
  const auto* const at = std::ranges::find(kActivations, name);
  n.require(at != std::end(kActivations), "attribute \"activation_type\"",
            "{} is none of relu, gelu, silu, identity, swiglu", quoted(name));
  s.activation = at - std::begin(kActivations);
  s.fusion = n.attr_int("swiglu_fusion");
  n.require(s.fusion >= 0 && s.fusion <= 2, "attribute \"swiglu_fusion\"", "{} is not 0, 1 or 2",
            s.fusion);
  if (s.activation != kExpertSwiglu) s.fusion = kGateSeparate;
  const bool separate = n.has_input(s.layers[2].w);
  n.require(s.activation != kExpertSwiglu || separate == (s.fusion == kGateSeparate),
            "attribute \"swiglu_fusion\"", "is {} {} weights of fc3", s.fusion,
            separate ? "with" : "without");
  if (n.attr_int("use_sparse_mixer") != 0)
    n.unsupported("attribute \"use_sparse_mixer\"", "only 0 is supported");
  s.k = n.attr_int("k");
  n.require(s.k >= 1 && s.k <= s.experts, "attribute \"k\"", "{} of {} experts", s.k, s.experts);
}

// How integers are packed; `block` 0 stands for whole rows.
void read_quantization(const NodeView& n, Sizes& s) {
  if (s.layers == kFloatLayers) return;
  s.bits = n.attr_int("expert_weight_bits");
  n.require(s.bits == 2 || s.bits == 4 || s.bits == 8, "attribute \"expert_weight_bits\"",
            "{} is not 2, 4 or 8", s.bits);
  const std::string& type = n.attr_string("quant_type");
  if (type != "int") n.unsupported("attribute \"quant_type\"", "only int is supported");
  if (n.attr_int("weights_prepacked") > 0)
    n.unsupported("attribute \"weights_prepacked\"", "only -1 and 0 are supported");
  s.block = n.attr_int("block_size");
  n.require(s.block == 0 || (s.block >= 16 && (s.block & (s.block - 1)) == 0),
            "attribute \"block_size\"", "{} is no power of two from 16 on", s.block);
}

void same_shape(const NodeView& n, std::size_t input, const Shape& want) {
  if (!has(n, input) || !n.input(input).has_rank()) return;
  const Shape& shape = *n.input(input).shape;
  const std::string field = name_of(n, input);
  n.require(shape.size() == want.size(), field, "{}, needs {}", to_string(shape), to_string(want));
  for (std::size_t i = 0; i < want.size(); ++i) n.same(shape[i], want[i], field);
}

// Checks a layer with `outputs` columns of `inputs` numbers.
void check_layer(const NodeView& n, const Sizes& s, const Layer& layer, std::int64_t outputs,
                 std::int64_t inputs) {
  if (!n.has_input(layer.w)) return;
  const std::int64_t pack = s.bits == 0 ? 1 : 8 / s.bits;
  same_shape(n, layer.w, Shape{s.experts, outputs, inputs / pack});
  same_shape(n, layer.bias, Shape{s.experts, outputs});
  if (s.bits == 0) return;
  n.require(n.has_input(layer.scales), name_of(n, layer.scales), "is needed");
  n.require(s.block == 0 || inputs % s.block == 0, "attribute \"block_size\"",
            "{} does not divide {}", s.block, inputs);
  const std::int64_t blocks = s.block == 0 ? 1 : inputs / s.block;
  Shape scales = {s.experts, outputs};
  if (s.block != 0) scales.push_back(blocks);
  same_shape(n, layer.scales, scales);
  if (!has(n, layer.zeros)) return;
  scales.back() = Dim::ceil_div(scales.back(), pack);
  same_shape(n, layer.zeros, scales);
}

Sizes read(const NodeView& n) {
  Sizes s;
  if (n.node().op->name == "QMoE") s.layers = kPackedLayers;
  read_quantization(n, s);
  for (std::size_t i : {s.layers[0].w, s.layers[1].w}) {
    const Shape& w = *n.input(i).shape;
    n.require(w.size() == 3, name_of(n, i), "rank {}, needs 3", w.size());
    for (const Dim& d : w)
      n.require(d.is_const() && d.value() > 0, name_of(n, i), "{} is no known size", d.to_string());
  }
  const Shape &w = *n.input(s.layers[1].w).shape, &x = *n.input(kX).shape;
  n.require(x.size() == 2 || x.size() == 3, name_of(n, kX), "rank {}, needs 2 or 3", x.size());
  s.experts = w[0].value();
  s.hidden = w[1].value();
  s.inter = checked_mul(w[2].value(), s.bits == 0 ? 1 : 8 / s.bits);
  read_attributes(n, s);
  s.tokens = product(x, 0, x.size() - 1);
  n.same(x.back(), s.hidden, name_of(n, kX));
  for (std::size_t i : {kRouter, kRouterWeights})
    if (i == kRouter || s.bits != 0) same_shape(n, i, Shape{s.tokens, s.experts});
  check_layer(n, s, s.layers[0], checked_mul(s.inter, s.fused()), s.hidden);
  check_layer(n, s, s.layers[1], s.hidden, s.inter);
  check_layer(n, s, s.layers[2], s.inter, s.hidden);
  return s;
}

void infer(Infer& n) {
  n.output(0, n.input(kX));
  for (std::size_t i = 0; i < n.input_count(); ++i)
    if (n.has_input(i) && !n.has_rank(i)) return;
  read(n);
}

// Every weight of a row is in a block of its own; zero points then take one byte each.
BufferId unpacked_zeros(Lower& n, const Sizes& s, std::size_t input) {
  const auto packed = n.constant(input);
  if (!packed) n.unsupported(name_of(n, input), "has to be a constant without block_size");
  const std::int64_t per_byte = 8 / s.bits, outputs = n.shape(input)[1].value() * per_byte;
  TensorBuilder bytes(ElemType::uint8, {s.experts, outputs});
  const std::uint8_t* const from = packed->as<std::uint8_t>().data();
  for (std::int64_t i = 0; i < s.experts * outputs; ++i)
    bytes.data<std::uint8_t>()[i] = static_cast<std::uint8_t>(
        from[i / per_byte] >> (i % per_byte * s.bits) & ((1 << s.bits) - 1));
  return n.constant(bytes.take(), "zeros");
}

void add_layer(Call& call, Lower& n, const Sizes& s, const Layer& layer) {
  const ElemType weights = s.bits == 0 ? ElemType::float32 : ElemType::uint8;
  call.begin_struct("ExpertLayer");
  if (s.bits == 0) {
    call.in(layer.w, weights).null(ElemType::float32).null(ElemType::uint8);
  } else {
    call.in(layer.w, weights).in(layer.scales, ElemType::float32);
    if (s.block == 0 && n.has_input(layer.zeros))
      call.read(unpacked_zeros(n, s, layer.zeros));
    else
      call.in(layer.zeros, ElemType::uint8);
  }
  call.in(layer.bias, ElemType::float32).end_struct();
}

// `inputs` numbers in a row of the layer.
ExpertShape<Dim> shape_of(const NodeView& n, const Sizes& s, std::int64_t inputs) {
  const bool limited = n.has_attr("swiglu_limit");
  return {.tokens = s.tokens,
          .k = s.k,
          .hidden = s.hidden,
          .inter = s.inter,
          .block = s.block == 0 ? inputs : s.block,
          .activation = s.activation,
          .fusion = s.fusion,
          .alpha = n.attr_float("activation_alpha"),
          .beta = n.attr_float("activation_beta"),
          .limit = limited ? n.attr_float("swiglu_limit") : -1.0f};
}

BufferId row_scratch(Lower& n, const Sizes& s, std::int64_t inputs) {
  const std::int64_t block = s.block == 0 ? inputs : s.block;
  const std::int64_t count =
      s.bits == 0 ? expert_row<0>(inputs, block) : expert_row<8>(inputs, block);
  return n.thread_scratch(ElemType::float32, count, "row");
}

void lower(Lower& n) {
  const Sizes s = read(n);
  const Dim slots = s.tokens * s.k;
  const BufferId chosen = n.scratch(ElemType::int32, Dim::max(slots, 1), "chosen");
  const BufferId shares = n.scratch(ElemType::float32, Dim::max(slots, 1), "shares");
  const BufferId inner = n.scratch(ElemType::float32, Dim::max(slots * s.inter, 1), "inner");
  const bool packed = s.bits != 0;
  Call choose = n.call("choose_experts",
                       ChooseExpertsShape<Dim>{s.tokens, s.experts, s.k, !packed,
                                               n.attr_int("normalize_routing_weights") != 0});
  choose.in(kRouter);
  if (packed)
    choose.in(kRouterWeights, ElemType::float32);
  else
    choose.null(ElemType::float32);
  choose.write(chosen).write(shares);
  Call gates = n.call("expert_gates", shape_of(n, s, s.hidden));
  gates.divisible().template_arg(std::to_string(s.bits)).in(kX).read(chosen);
  add_layer(gates, n, s, s.layers[0]);
  add_layer(gates, n, s, s.layers[2]);
  gates.write(inner).write(row_scratch(n, s, s.hidden));
  gates.macs(slots * s.hidden * s.inter * (s.fused() + (n.has_input(s.layers[2].w) ? 1 : 0)));
  Call outputs = n.call("expert_outputs", shape_of(n, s, s.inter));
  outputs.divisible().template_arg(std::to_string(s.bits)).read(inner).read(chosen).read(shares);
  add_layer(outputs, n, s, s.layers[1]);
  outputs.out(0).write(row_scratch(n, s, s.inter));
  outputs.macs(slots * s.hidden * s.inter);
}

// Everything but integers is computed in float32.
void upgrade(Upgrade& n) {
  Value* const like = n.node().inputs[kX];
  const bool packed = n.node().op->name == "QMoE";
  if (packed && n.node().inputs.size() > kRouterWeights + 1)
    for (std::size_t i = kRouterWeights + 1; i < n.node().inputs.size(); ++i)
      if (n.has_input(i)) n.unsupported(fmt::format("input {}", i), "is for FP4 and FP8 alone");
  for (std::size_t i = 0; i < n.node().inputs.size(); ++i) {
    bool integers = false;
    for (const Layer& layer : kPackedLayers)
      integers = integers || (packed && (i == layer.w || i == layer.zeros));
    if (n.has_input(i) && !integers) n.set_input(i, to_float32(n, n.node().inputs[i]));
  }
  cast_output_like(n, like);
}

constexpr Op rows[] = {
    contrib({
        .name = "MoE",
        .inputs = "input:T router_probs:T fc1_experts_weights:T fc1_experts_bias:T? "
                  "fc2_experts_weights:T fc2_experts_bias:T? fc3_experts_weights:T? "
                  "fc3_experts_bias:T?",
        .outputs = "output:T",
        .types = "T: float float16 bfloat16",
        .attributes = "activation_alpha:float=1 activation_beta:float=0 "
                      "activation_type:string=relu k:int=1 normalize_routing_weights:int=0 "
                      "swiglu_fusion:int=0 swiglu_limit:float use_sparse_mixer:int=0",
        .limits = "use_sparse_mixer",
        .upgrade = upgrade,
        .infer = infer,
        .lower = lower,
    }),
    contrib({
        .name = "QMoE",
        .inputs = "input:T router_probs:T fc1_experts_weights:T1 fc1_scales:T2? "
                  "fc1_experts_bias:T? fc2_experts_weights:T1 fc2_scales:T2? fc2_experts_bias:T? "
                  "fc3_experts_weights:T1? fc3_scales:T2? fc3_experts_bias:T? "
                  "fc1_zero_points:T1? fc2_zero_points:T1? fc3_zero_points:T1? "
                  "router_weights:T? fc1_global_scale:float? fc2_global_scale:float? "
                  "fc1_act_scale:float? fc2_act_scale:float? fc1_act_block_scale:T2? "
                  "fc2_act_block_scale:T2?",
        .outputs = "output:T",
        .types = "T: float float16 bfloat16; T1: uint8; T2: float float16 bfloat16",
        .attributes =
            "activation_alpha:float=1 activation_beta:float=0 activation_type:string=relu "
            "block_size:int=0 expert_weight_bits:int=4 k:int=1 normalize_routing_weights:int=0 "
            "quant_type:string=int swiglu_fusion:int=0 swiglu_limit:float use_sparse_mixer:int=0 "
            "weights_prepacked:int=-1",
        .limits = "FP4 and FP8, use_sparse_mixer, weights_prepacked",
        .upgrade = upgrade,
        .infer = infer,
        .lower = lower,
    })};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::mixture_of_experts

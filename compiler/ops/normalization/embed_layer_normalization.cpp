// com.microsoft EmbedLayerNormalization: the sum of the embeddings of words, positions and
// segments, normalised over the last axis.
#include "compiler/ops/upgrade.hpp"

namespace onnxc::ops::embed_layer_normalization {
namespace {

// The rows 0, 1, ... in order, unless the model selects positions.
Value* positions(Upgrade& n, Value* ids) {
  Value* table = n.node().inputs[3];
  if (n.has_input(8)) return n.emit("Gather", {table, n.node().inputs[8]});
  Value* length = n.emit("Shape", {ids}, {{"start", std::int64_t{1}}, {"end", std::int64_t{2}}});
  const std::int64_t zero[] = {0};
  Value* start = n.constant(Tensor::ints(zero));
  return n.emit("Slice", {table, start, length, start});
}

// The number of ones in each row of the mask, or zeros without a mask.
void mask_index(Upgrade& n, Value* ids) {
  if (!n.has_output(1)) return;
  Value* out = n.node().outputs[1];
  const std::int64_t one[] = {1};
  Value* axis = n.constant(Tensor::ints(one));
  if (!n.has_input(7)) {
    Value* batch = n.emit("Shape", {ids}, {{"end", std::int64_t{1}}});
    n.emit_after("ConstantOfShape", {batch}, out, {{"value", Tensor::zeros(ElemType::int32, {1})}});
    return;
  }
  Value* mask = n.node().inputs[7];
  Value* unit = n.emit("CastLike", {n.constant(Tensor::scalar(std::int64_t{1})), mask});
  Value* ones = n.emit("Equal", {mask, unit});
  Value* counted = n.emit("Cast", {ones}, {{"to", std::int64_t{6}}});
  n.emit_after("ReduceSum", {counted, axis}, out, {{"keepdims", std::int64_t{0}}});
}

void upgrade(Upgrade& n) {
  const std::vector<Value*> inputs = n.node().inputs;
  Value* ids = inputs[0];
  Value* words = to_float32(n, n.emit("Gather", {inputs[2], ids}));
  Value* sum = n.emit("Add", {words, to_float32(n, positions(n, ids))});
  n.require(n.has_input(1) == n.has_input(4), "inputs",
            "segment_ids and segment_embedding go together");
  if (n.has_input(1)) {
    Value* segments = to_float32(n, n.emit("Gather", {inputs[4], inputs[1]}));
    sum = n.emit("Add", {sum, segments});
  }
  mask_index(n, ids);
  if (n.has_output(2)) n.emit_after("CastLike", {sum, inputs[2]}, n.node().outputs[2]);
  Node& node = n.mutable_node();
  node.inputs = {sum, to_float32(n, inputs[5]), to_float32(n, inputs[6])};
  node.outputs.resize(1);
  cast_output_like(n, inputs[2]);
  node.attributes = {{"axis", std::int64_t{-1}}, {"epsilon", n.attr_float("epsilon")}};
  n.to("LayerNormalization");
}

constexpr Op rows[] = {contrib({
    .name = "EmbedLayerNormalization",
    .inputs = "input_ids:int32 segment_ids:int32? word_embedding:T position_embedding:T "
              "segment_embedding:T? gamma:T beta:T mask:int32? position_ids:int32?",
    .outputs = "output:T mask_index:int32? embedding_sum:T?",
    .types = "T: float float16",
    .attributes = "epsilon:float=1e-12 mask_index_type:int=0",
    .upgrade = upgrade,
})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::embed_layer_normalization

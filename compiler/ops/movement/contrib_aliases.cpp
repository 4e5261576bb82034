// Operators of com.microsoft that match a standard one: Trilu, Pad, Unique, Range, ExpandDims,
// GatherND, GridSample, QuantizeLinear and DequantizeLinear.
#include "compiler/ops/upgrade.hpp"

namespace onnxc::ops::contrib_aliases {
namespace {

void upgrade_trilu(Upgrade& n) { n.to("Trilu"); }
void upgrade_quantize(Upgrade& n) { n.to("QuantizeLinear"); }
void upgrade_dequantize(Upgrade& n) { n.to("DequantizeLinear"); }
void upgrade_grid_sample(Upgrade& n) {
  const std::string mode = n.attr_string("mode");
  const bool renamed = mode == "bilinear" || mode == "bicubic";
  n.set("mode", mode == "bilinear" ? "linear" : renamed ? std::string("cubic") : mode);
  n.to("GridSample");
}

Value* as_int64(Upgrade& n, std::size_t i) {
  return n.emit("Cast", {n.node().inputs[i]}, {{"to", std::int64_t{7}}});
}

Value* flat(Upgrade& n, Value* x) {
  const std::int64_t all[] = {-1};
  return n.emit("Reshape", {x, n.constant(Tensor::ints(all))});
}

void upgrade_gather_nd(Upgrade& n) {
  n.set_input(1, as_int64(n, 1));
  n.to("GatherND");
}

void upgrade_expand_dims(Upgrade& n) {
  n.set_input(1, flat(n, as_int64(n, 1)));
  n.to("Unsqueeze");
}

// The pads may be a matrix of one row.
void upgrade_pad(Upgrade& n) {
  n.set_input(1, flat(n, n.node().inputs[1]));
  n.to("Pad");
}

void upgrade_range(Upgrade& n) {
  if (!n.has_input(2))
    n.set_input(
        2, n.emit("CastLike", {n.constant(Tensor::scalar(std::int64_t{1})), n.node().inputs[0]}));
  n.to("Range");
}

// Unsorted, with the outputs y, idx, counts.
void upgrade_unique(Upgrade& n) {
  Node& node = n.mutable_node();
  node.outputs = {node.outputs[0], nullptr, node.outputs[1], node.outputs[2]};
  n.set("sorted", std::int64_t{0});
  n.to("Unique");
}

constexpr Op rows[] = {
    contrib({
        .name = "Trilu",
        .inputs = "X:T k:int64?",
        .outputs = "Y:T",
        .types = "T: numeric bool",
        .attributes = "upper:int=1",
        .upgrade = upgrade_trilu,
    }),
    contrib({
        .name = "Pad",
        .inputs = "data:T pads:int64 value:T?",
        .outputs = "output:T",
        .types = "T: classic_floats",
        .attributes = "mode:string=constant",
        .upgrade = upgrade_pad,
    }),
    contrib({
        .name = "Unique",
        .inputs = "x:T",
        .outputs = "y:T idx:int64 counts:int64",
        .types = "T: numeric bool string",
        .upgrade = upgrade_unique,
    }),
    contrib({
        .name = "Range",
        .inputs = "start:T limit:T delta:T?",
        .outputs = "Y:T",
        .types = "T: float double int16 int32 int64",
        .upgrade = upgrade_range,
    }),
    contrib({
        .name = "ExpandDims",
        .inputs = "X:T axis:int32",
        .outputs = "Y:T",
        .types = "T: all",
        .upgrade = upgrade_expand_dims,
    }),
    contrib({
        .name = "GatherND",
        .inputs = "data:T indices:Tind",
        .outputs = "output:T",
        .types = "T: classic; Tind: int32 int64",
        .upgrade = upgrade_gather_nd,
    }),
    contrib({
        .name = "GridSample",
        .inputs = "X:T1 Grid:T1",
        .outputs = "Y:T2",
        .types = "T1: classic_floats; T2: classic_floats",
        .attributes = "align_corners:int=0 mode:string=bilinear padding_mode:string=zeros",
        .upgrade = upgrade_grid_sample,
    }),
    contrib({
        .name = "QuantizeLinear",
        .inputs = "x:T1 y_scale:T1 y_zero_point:T2?",
        .outputs = "y:T2",
        .types = "T1: float float16; T2: int8 uint8 int16 uint16 int4 uint4",
        .attributes = "axis:int=1",
        .upgrade = upgrade_quantize,
    }),
    contrib({
        .name = "DequantizeLinear",
        .inputs = "x:T1 x_scale:T2 x_zero_point:T1?",
        .outputs = "y:T2",
        .types = "T1: int8 uint8 int16 uint16 int32 int4 uint4; T2: float float16",
        .attributes = "axis:int=1",
        .upgrade = upgrade_dequantize,
    })};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::contrib_aliases

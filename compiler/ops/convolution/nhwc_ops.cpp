// com.microsoft NhwcMaxPool and QLinearConv: standard operators on channels-last data.
#include "compiler/ops/upgrade.hpp"

namespace onnxc::ops::nhwc_ops {
namespace {

void wrap(Upgrade& n, const char* op_type, bool channels_last) {
  if (channels_last) {
    Value* x = n.node().inputs[0];
    n.set_input(
        0, n.emit("onnxc::MoveAxis", {x}, {{"from", std::int64_t{-1}}, {"to", std::int64_t{1}}}));
    Value* out = n.mutable_node().outputs[0];
    n.emit_after("onnxc::MoveAxis", {n.detach_output(0)}, out,
                 {{"from", std::int64_t{1}}, {"to", std::int64_t{-1}}});
  }
  n.to(op_type);
}

void upgrade_pool(Upgrade& n) { wrap(n, "MaxPool", true); }

void upgrade_conv(Upgrade& n) {
  const bool last = n.attr_int("channels_last") != 0;
  n.remove("channels_last");
  wrap(n, "QLinearConv", last);
}

constexpr Op rows[] = {
    contrib({
        .name = "NhwcMaxPool",
        .inputs = "x:T",
        .outputs = "y:T",
        .types = "T: int8 uint8",
        .attributes = "auto_pad:string=NOTSET ceil_mode:int=0 dilations:ints kernel_shape:ints! "
                      "pads:ints strides:ints",
        .upgrade = upgrade_pool,
    }),
    contrib({
        .name = "QLinearConv",
        .inputs = "x:T1 x_scale:float x_zero_point:T1 w:T2 w_scale:float w_zero_point:T2 "
                  "y_scale:float y_zero_point:T3 B:int32?",
        .outputs = "y:T3",
        .types = "T1: int8 uint8; T2: int8 uint8; T3: int8 uint8",
        .attributes = "auto_pad:string=NOTSET channels_last:int=0 dilations:ints group:int=1 "
                      "kernel_shape:ints pads:ints strides:ints",
        .upgrade = upgrade_conv,
    })};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::nhwc_ops

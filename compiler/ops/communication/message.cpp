// onnxc::Send and onnxc::Receive: send a tensor to another device. The nodes of one device run in
// the order of their tags; they are never removed.
#include "compiler/kernels/communication_calls.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"

namespace onnxc::ops::message {
namespace {

MessageShape<Dim> message_of(const Lower& n, const Shape& shape) {
  return {n.attr_int("device"), n.attr_int("tag"), product(shape)};
}

void lower_send(Lower& n) { n.call("send", message_of(n, n.shape(0))).devices().in(0); }

void infer_receive(Infer& n) { n.output(0, std::get<Type>(*n.node().find("type"))); }

void lower_receive(Lower& n) { n.call("receive", message_of(n, n.out_shape(0))).devices().out(0); }

constexpr Op rows[] = {internal({
                           .name = "Send",
                           .inputs = "data:T",
                           .types = "T: numeric complex bool small",
                           .attributes = "device:int! tag:int!",
                           .infer = [](Infer&) {},
                           .lower = lower_send,
                           .effect = true,
                       }),
                       internal({
                           .name = "Receive",
                           .outputs = "data:T",
                           .types = "T: numeric complex bool small",
                           .attributes = "device:int! tag:int! type:type!",
                           .infer = infer_receive,
                           .lower = lower_receive,
                           .effect = true,
                       })};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::message

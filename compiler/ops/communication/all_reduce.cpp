// onnxc::AllReduce: the sum, product, maximum or minimum of a tensor of each device of a group. All
// of them get it.
#include "compiler/kernels/communication_calls.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"

namespace onnxc::ops::all_reduce {
namespace {

void lower(Lower& n) {
  const std::vector<std::int64_t>& group = n.attr_ints("group");
  const Dim count = product(n.shape(0)), devices = static_cast<std::int64_t>(group.size());
  const BufferId others =
      n.scratch(n.elem(0), Dim::ceil_div(count, devices) * devices, "of_devices");
  n.call("all_reduce",
         AllReduceShape<Dim>{count, n.attr_int("operation"), static_cast<std::int64_t>(n.elem(0)),
                             n.attr_int("place"), n.attr_int("tag"), to_shape(group)})
      .template_arg(std::to_string(group.size()))
      .devices()
      .in(0)
      .out(0)
      .write(others)
      .may_share(0);
}

constexpr Op rows[] = {internal({
    .name = "AllReduce",
    .inputs = "data:T",
    .outputs = "reduced:T",
    .types = "T: numeric",
    .attributes = "group:ints! place:int! operation:int! tag:int!",
    .infer = infer_like_first,
    .lower = lower,
    .effect = true,
})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::all_reduce

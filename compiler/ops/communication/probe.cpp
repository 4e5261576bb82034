// onnxc::Probe: hands a tensor out while the model runs, for --probe. Nodes of it read what fusion
// and layout would otherwise change, so that it is the tensor of the model.
#include "compiler/kernels/communication_calls.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"

namespace onnxc::ops::probe {
namespace {

void lower(Lower& n) {
  n.call("probe", ProbeShape<Dim>{n.shape(0)})
      .template_arg(std::to_string(n.shape(0).size()))
      .probe(n.attr_string("name"), n.elem(0))
      .in(0);
}

constexpr Op rows[] = {internal({
    .name = "Probe",
    .inputs = "data:any",
    .attributes = "name:string! all:int=0",
    .infer = [](Infer&) {},
    .lower = lower,
    .effect = true,
})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::probe

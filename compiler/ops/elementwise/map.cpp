// onnxc::Map: a fused chain of element-wise operators, one pass over the data.
#include "compiler/ops/elementwise/elementwise.hpp"

namespace onnxc::ops::map {
namespace {

// The pass that makes the node sets the types.
void infer(Infer&) {}

LayoutRule layout(const Node&) { return {.accepts = true, .all_inputs = true, .parts_in = true}; }

constexpr Op rows[] = {internal({
    .name = "Map",
    .inputs = "inputs:any~",
    .outputs = "output:any",
    .infer = infer,
    .lower = lower_map,
    .layout = layout,
    .sweep = true,
})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::map

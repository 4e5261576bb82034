// onnxc::LookupInt8: a function of each int8 or uint8 value, by a table of its 256 results.
#include "compiler/kernels/quantization_calls.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/ops/window.hpp"

namespace onnxc::ops::lookup_int8 {
namespace {

void infer(Infer& n) { n.output_like_input(n.elem(1)); }

void lower(Lower& n) {
  Call call = n.call(kLookupBytes, CountShape<Dim>{product(n.shape(0))});
  call.divisible().in({0, 1}).out(0).may_share(0);
}

constexpr Op rows[] = {internal({
    .name = "LookupInt8",
    .inputs = "X:T1 Table:T2",
    .outputs = "Y:T2",
    .types = "T1: int8 uint8; T2: int8 uint8",
    .infer = infer,
    .lower = lower,
})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::lookup_int8

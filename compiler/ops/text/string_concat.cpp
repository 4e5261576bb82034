// StringConcat: concatenates the strings of two broadcast tensors element by element.
#include "compiler/kernels/text_calls.hpp"
#include "compiler/ops/elementwise/elementwise.hpp"
#include "compiler/ops/text/extension.hpp"
#include "compiler/ops/upgrade.hpp"

namespace onnxc::ops::string_concat {
namespace {

void lower(Lower& n) {
  const BroadcastStrides walk = broadcast_strides(n);
  Call call = n.call(
      "string_concat",
      StringConcatShape<Dim>{rank_of(walk.dims), product(n.out_shape(0)), walk.dims, walk.flat()});
  call.in({0, 1}).out(0).heap();
}

constexpr Op rows[] = {{
                           .name = "StringConcat",
                           .versions = "20",
                           .inputs = "X:T Y:T",
                           .outputs = "Z:T",
                           .types = "T: string",
                           .infer = infer_broadcast,
                           .lower = lower,
                       },
                       extension({
                           .name = "StringConcat",
                           .inputs = "X:string Y:string",
                           .outputs = "Z:string",
                           .upgrade = [](Upgrade& n) { n.to("StringConcat"); },
                       })};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::string_concat

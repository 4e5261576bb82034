// DynamicSlice, an experimental operator of the first opsets: Slice by inputs, without steps.
#include "compiler/ops/upgrade.hpp"

namespace onnxc::ops::dynamic_slice {
namespace {

void upgrade(Upgrade& n) { n.to("Slice"); }

constexpr Op rows[] = {{
    .name = "DynamicSlice",
    .versions = "1",
    .deprecated = 10,
    .inputs = "data:T starts:Tind ends:Tind axes:Tind?",
    .outputs = "output:T",
    .types = "T: classic; Tind: int32 int64",
    .upgrade = upgrade,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::dynamic_slice

// StringSplit: splits strings at a delimiter, padded with empty strings to the largest number of
// parts.
#include "compiler/kernels/text_calls.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"

namespace onnxc::ops::string_split {
namespace {

void infer(Infer& n) {
  n.output(1, ElemType::int64, n.input(0).shape);
  if (!n.has_rank(0)) return n.output(0, ElemType::string, std::nullopt);
  Shape parts = n.shape(0);
  parts.push_back(n.unknown_extent());
  n.output(0, ElemType::string, parts);
}

std::string delimiter_of(const Lower& n) {
  return n.has_attr("delimiter") ? n.attr_string("delimiter") : std::string();
}

void lower(Lower& n) {
  const Dim count = product(n.shape(0)), most = n.find_int("maxsplit").value_or(-1);
  const BufferId delimiter =
      n.constant(Tensor(std::vector<std::int64_t>{}, {delimiter_of(n)}), "delimiter");
  const Dim width = n.has_output(0) ? n.out_shape(0).back() : Dim(0);
  if (n.has_output(0))
    n.call("string_split_extents", StringSplitExtentsShape<Dim>{count, most})
        .in(0)
        .read(delimiter)
        .extents({width});
  n.call("string_split", StringSplitShape<Dim>{count, width, most})
      .in(0)
      .read(delimiter)
      .out({0, 1});
}

constexpr Op rows[] = {{
    .name = "StringSplit",
    .versions = "20",
    .inputs = "X:T1",
    .outputs = "Y:T2 Z:T3",
    .types = "T1: string; T2: string; T3: int64",
    .attributes = "delimiter:string maxsplit:int",
    .infer = infer,
    .lower = lower,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::string_split

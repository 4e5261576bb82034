// StringSplit of onnxruntime-extensions: splits at any of some characters, as a sparse matrix.
#include "compiler/kernels/text_calls.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/ops/text/extension.hpp"

namespace onnxc::ops::split_at_characters {
namespace {

void infer(Infer& n) {
  if (n.has_rank(0)) n.require(n.rank(0) == 1, "input 0 \"X\"", "has rank {}, not 1", n.rank(0));
  n.one_value(1, "input 1 \"sep\"");
  n.one_value(2, "input 2 \"skip_empty\"");
  const Dim parts = n.unknown_extent();
  n.output(0, ElemType::int64, Shape{parts, 2});
  n.output(1, ElemType::string, Shape{parts});
  n.output(2, ElemType::int64, Shape{2});
}

void lower(Lower& n) {
  const SplitAtCharactersShape<Dim> shape{n.shape(0)[0]};
  const Dim parts = n.has_output(0)   ? n.out_shape(0)[0]
                    : n.has_output(1) ? n.out_shape(1)[0]
                                      : Dim(0);
  if (n.has_output(0) || n.has_output(1))
    n.call("split_at_characters_extents", shape).in({0, 1, 2}).extents({parts});
  n.call("split_at_characters", shape).in({0, 1, 2}).out({0, 1, 2});
}

constexpr Op rows[] = {extension({.name = "StringSplit",
                                  .inputs = "X:string sep:string skip_empty:bool",
                                  .outputs = "indices:int64 values:string shape:int64",
                                  .infer = infer,
                                  .lower = lower})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::split_at_characters

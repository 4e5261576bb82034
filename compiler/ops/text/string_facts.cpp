// StringLength, StringStrip, StringEqual.
#include "compiler/kernels/text_calls.hpp"
#include "compiler/ops/elementwise/elementwise.hpp"
#include "compiler/ops/text/extension.hpp"

namespace onnxc::ops::string_facts {
namespace {

void infer_length(Infer& n) { n.output(0, ElemType::int64, n.input(0).shape); }

void lower_length(Lower& n) {
  n.call("string_length", CountShape<Dim>{product(n.out_shape(0))}).in(0).out(0);
}

void lower_strip(Lower& n) {
  n.call("string_strip", CountShape<Dim>{product(n.out_shape(0))}).in(0).out(0);
}

// onnxruntime-extensions lines up the first axes of operands of different rank, not the last.
void infer_equal(Infer& n) {
  if (n.has_rank(0) && n.has_rank(1) && n.rank(0) != n.rank(1))
    n.unsupported("inputs", "operands of different rank");
  infer_broadcast_bool(n);
}

void lower_equal(Lower& n) {
  const BroadcastStrides walk = broadcast_strides(n);
  n.call("string_equal", StringConcatShape<Dim>{rank_of(walk.dims), product(n.out_shape(0)),
                                                walk.dims, walk.flat()})
      .in({0, 1})
      .out(0);
}

constexpr Op rows[] = {extension({.name = "StringEqual",
                                  .inputs = "X:string Y:string",
                                  .outputs = "Z:bool",
                                  .limits = "operands of different rank",
                                  .infer = infer_equal,
                                  .lower = lower_equal}),
                       extension({.name = "StringLength",
                                  .inputs = "X:string",
                                  .outputs = "Y:int64",
                                  .infer = infer_length,
                                  .lower = lower_length}),
                       extension({.name = "StringStrip",
                                  .inputs = "X:string",
                                  .outputs = "Y:string",
                                  .infer = infer_like_first,
                                  .lower = lower_strip})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::string_facts

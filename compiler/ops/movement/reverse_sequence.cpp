// ReverseSequence: reverses the first elements of each sequence of a batch.
#include "compiler/kernels/movement_calls.hpp"
#include "compiler/ops/elementwise/elementwise.hpp"

namespace onnxc::ops::reverse_sequence {
namespace {

void check_lengths(const NodeView& n, const Dim& time) {
  const Tensor* lengths = n.constant(1);
  if (!lengths || !time.is_const()) return;
  for (std::int64_t l : lengths->to_int64s())
    n.require(l >= 0 && l <= time.value(), "input 1 \"sequence_lens\"",
              "length {} is outside [0, {}]", l, time.value());
}

void infer(Infer& n) {
  const std::int64_t time = n.attr_int("time_axis"), batch = n.attr_int("batch_axis");
  n.require((time == 0 && batch == 1) || (time == 1 && batch == 0), "attribute \"time_axis\"",
            "time and batch must be the axes 0 and 1");
  if (n.has_rank(0)) n.require(n.rank(0) >= 2, "input 0 \"input\"", "has rank {}", n.rank(0));
  if (n.has_rank(1))
    n.require(n.rank(1) == 1, "input 1 \"sequence_lens\"", "has rank {}", n.rank(1));
  if (n.has_rank(0) && n.has_rank(1)) {
    const Dim &want = n.shape(0)[static_cast<std::size_t>(batch)], &has = n.shape(1)[0];
    n.require(want == has || !want.is_const() || !has.is_const(), "input 1 \"sequence_lens\"",
              "has {} lengths for a batch of {}", has.to_string(), want.to_string());
    n.same(has, want, "input 1 \"sequence_lens\"");
    check_lengths(n, n.shape(0)[static_cast<std::size_t>(time)]);
  }
  infer_unary(n);
}

void lower(Lower& n) {
  const Shape& x = n.shape(0);
  n.call("reverse_sequence", ReverseSequenceShape<Dim>{x[0], x[1], product(x, 2, x.size()),
                                                       n.attr_int("batch_axis") == 0})
      .in({0, 1})
      .out(0);
}

constexpr Op rows[] = {{.name = "ReverseSequence",
                        .versions = "10",
                        .inputs = "input:T sequence_lens:int64",
                        .outputs = "Y:T",
                        .types = "T: numeric complex bool string",
                        .attributes = "time_axis:int=0 batch_axis:int=1",
                        .infer = infer,
                        .lower = lower,
                        .gradient = [](Gradient& n) {
                          n.dx(0, n.emit("ReverseSequence", {n.dy(), n.x(1)}, n.node().attributes));
                        }}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::reverse_sequence

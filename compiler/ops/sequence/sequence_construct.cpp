// SequenceConstruct and SequenceEmpty: a sequence of the inputs, and an empty sequence.
#include "compiler/ops/gradient.hpp"
#include "compiler/ops/sequence/container.hpp"

namespace onnxc::ops::sequence_construct {
namespace {

void infer(Infer& n) {
  Type element = n.input(0);
  for (std::size_t i = 1; i < n.input_count(); ++i)
    element = join(n, element, n.input(i), fmt::format("input {}", i));
  n.output(0, Type::sequence(element));
}

void infer_empty(Infer& n) {
  Type element = Type::tensor(n.attr_elem_type("dtype"));
  element.vacant = true;
  n.output(0, Type::sequence(element));
}

void lower(Lower& n) {
  n.call("sequence_empty").out(0);
  for (std::size_t i = 0; i < n.input_count(); ++i) append(n, n.in(i), n.out(0));
}

void lower_empty(Lower& n) { n.call("sequence_empty").out(0); }

void gradient(Gradient& n) {
  for (std::size_t i = 0; i < n.input_count(); ++i)
    if (n.wants(i))
      n.dx(i, n.emit("SequenceAt", {n.dy(), n.builder().integer(static_cast<std::int64_t>(i))}));
}

constexpr Op rows[] = {{
                           .name = "SequenceConstruct",
                           .versions = "11",
                           .inputs = "inputs:T+",
                           .outputs = "output_sequence:seq(T)",
                           .types = "T: classic",
                           .infer = infer,
                           .lower = lower,
                           .gradient = gradient,
                       },
                       {
                           .name = "SequenceEmpty",
                           .versions = "11",
                           .inputs = "",
                           .outputs = "output:seq(T)",
                           .types = "T: classic",
                           .attributes = "dtype:int=1",
                           .infer = infer_empty,
                           .lower = lower_empty,
                       }};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::sequence_construct

// TensorScatter: writes new entries into a key-value cache.
#include "compiler/ops/elementwise/elementwise.hpp"
#include "templates/attention/attention_calls.hpp"

namespace onnxc::ops::tensor_scatter {
namespace {

std::size_t axis_of(const NodeView& n) {
  const std::size_t axis = n.axis(n.attr_int("axis"), n.input(0).rank(), "attribute \"axis\"");
  n.require(axis != 0, "attribute \"axis\"", "must not be the batch");
  return axis;
}

bool circular(const NodeView& n) {
  const std::string& mode = n.attr_string("mode");
  n.require(mode == "linear" || mode == "circular", "attribute \"mode\"",
            "{} is neither linear nor circular", quoted(mode));
  return mode == "circular";
}

void check_update(const Infer& n, const Shape& past, const Shape& update, std::size_t axis) {
  n.require(update.size() == past.size(), "input 1 \"update\"", "rank {}, needs {}", update.size(),
            past.size());
  for (std::size_t i = 0; i < past.size(); ++i) {
    if (!past[i].is_const() || !update[i].is_const()) {
      if (i == axis)
        n.at_most(update[i], past[i], "input 1 \"update\"");
      else
        n.same(update[i], past[i], "input 1 \"update\"");
      continue;
    }
    n.require(i == axis ? update[i].value() <= past[i].value() : update[i] == past[i],
              "input 1 \"update\"", "{} does not fit into {}", to_string(update), to_string(past));
  }
}

void infer(Infer& n) {
  infer_unary(n);
  circular(n);
  if (!n.has_rank(0)) return;
  const std::size_t axis = axis_of(n);
  if (n.has_rank(1)) check_update(n, n.shape(0), n.shape(1), axis);
  if (!n.has_rank(2)) return;
  const Shape& start = n.shape(2);
  n.require(start.size() == 1, "input 2 \"write_indices\"", "rank {}, needs 1", start.size());
  n.require(!start[0].is_const() || !n.shape(0)[0].is_const() || start[0] == n.shape(0)[0],
            "input 2 \"write_indices\"", "{} indices for a batch of {}", start[0].to_string(),
            n.shape(0)[0].to_string());
  n.same(start[0], n.shape(0)[0], "input 2 \"write_indices\"");
}

void lower(Lower& n) {
  const Shape& past = n.shape(0);
  const std::size_t axis = axis_of(n);
  Call call =
      n.call("tensor_scatter",
             TensorScatterShape<Dim>{past[0], product(past, 1, axis), past[axis], n.shape(1)[axis],
                                     product(past, axis + 1, past.size()), circular(n)});
  call.in({0, 1, 2}).out(0).may_share(0);
}

constexpr Op rows[] = {{
    .name = "TensorScatter",
    .versions = "24",
    .inputs = "past_cache:T update:T write_indices:int64?",
    .outputs = "present_cache:T",
    .types = "T: all",
    .attributes = "axis:int=-2 mode:string=linear",
    .infer = infer,
    .lower = lower,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::tensor_scatter

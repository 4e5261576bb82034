// TensorScatter: writes new entries into a key-value cache.
#include "compiler/kernels/attention_calls.hpp"
#include "compiler/ops/elementwise/elementwise.hpp"

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

// Numbers of updates, from 1, go the way of the updates; 0 marks what is left of the cache.
void gradient(Gradient& n) {
  NodeBuilder& b = n.builder();
  const auto scattered = [&](Term cache, Term update) {
    std::vector<Value*> inputs = {cache, update};
    if (n.has_input(2)) inputs.push_back(n.x(2));
    return b.term(b.add(*n.node().op, inputs, 1, n.node().attributes).front());
  };
  if (n.wants(0)) n.dx(0, scattered(n.dy(), b.filled(0, n.x(1))));
  if (!n.wants(1)) return;
  const Term one = n.list({1}), flat = n.list({-1});
  const Term last = n.emit("Squeeze", {n.emit("Reshape", {apply("Size", n.x(1)), one}) + one});
  const auto number = [&](std::int64_t v) { return b.term(b.constant(Tensor::scalar(v))); };
  const Term numbers = b.reshape(n.emit("Range", {number(1), last, number(1)}), n.x(1));
  const Term none = n.emit("ConstantOfShape", {n.shape_of(n.x(0))},
                           {{"value", Tensor::ints(std::vector<std::int64_t>{0})}});
  const Term from = n.emit("Reshape", {scattered(none, numbers), flat});
  const Term zeros = n.emit("Reshape", {b.filled(0, n.x(1)), flat});
  const Term sums =
      n.emit("ScatterElements",
             {n.emit("Pad", {zeros, n.list({1, 0})}), from, n.emit("Reshape", {n.dy(), flat})},
             {{"axis", std::int64_t{0}}, {"reduction", std::string("add")}});
  n.dx(1, b.reshape(n.emit("Pad", {sums, n.list({-1, 0})}), n.x(1)));
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
    .gradient = gradient,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::tensor_scatter

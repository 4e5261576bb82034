// FlexAttention: attention with subgraphs that change the scores and the probabilities.
#include "compiler/kernels/attention_calls.hpp"
#include "compiler/ops/elementwise/elementwise.hpp"

namespace onnxc::ops::flex_attention {
namespace {

bool agree(const Dim& a, const Dim& b) { return !a.is_const() || !b.is_const() || a == b; }

void check_shapes(const Infer& n, const Shape& q, const Shape& k, const Shape& v) {
  n.require(q.size() == 4 && k.size() == 4 && v.size() == 4, "inputs", "need rank 4");
  n.require(agree(k[0], q[0]) && agree(k[3], q[3]), "input 1 \"K\"", "{} does not go with Q {}",
            to_string(k), to_string(q));
  n.require(agree(v[0], q[0]) && agree(v[1], k[1]) && agree(v[2], k[2]), "input 2 \"V\"",
            "{} does not go with K {}", to_string(v), to_string(k));
  for (const auto& [a, b] : {std::pair(k[0], q[0]), std::pair(k[3], q[3])})
    n.same(a, b, "input 1 \"K\"");
  for (const auto& [a, b] : {std::pair(v[0], q[0]), std::pair(v[1], k[1]), std::pair(v[2], k[2])})
    n.same(a, b, "input 2 \"V\"");
  n.at_least(k[1], 1, "input 1 \"K\"");
  n.require(!q[1].is_const() || !k[1].is_const() || q[1].value() % k[1].value() == 0,
            "input 1 \"K\"", "{} heads do not divide the {} of Q", k[1].to_string(),
            q[1].to_string());
  n.same(Dim::floor_div(q[1], k[1]) * k[1], q[1], "input 1 \"K\"");
}

ElemType precision(const NodeView& n) {
  if (!n.has_attr("softmax_precision"))
    return n.input(0).elem == ElemType::float64 ? ElemType::float64 : ElemType::float32;
  const ElemType elem = n.attr_elem_type("softmax_precision");
  n.require(with_real(elem, [](auto) {}), "attribute \"softmax_precision\"",
            "is no floating-point type");
  return elem;
}

void infer_modifier(Infer& n, const char* name, const Type& type) {
  if (!n.has_attr(name)) return;
  Graph& body = n.attr_graph(name);
  const std::string field = "attribute " + quoted(name);
  n.require(body.inputs.size() == 1 && body.outputs.size() == 1, field,
            "has {} inputs and {} outputs, needs one each", body.inputs.size(),
            body.outputs.size());
  body.inputs[0]->type = type;
  n.infer_body(body);
  const Type& result = body.outputs[0]->type;
  if (!result.is_tensor() || result.elem == ElemType::undefined) return;
  n.require(result.elem == type.elem, field, "returns another element type");
  if (!result.shape || !type.shape) return;
  bool same = result.rank() == 4;
  for (std::size_t i = 0; same && i < 4; ++i) same = agree((*result.shape)[i], (*type.shape)[i]);
  n.require(same, field, "returns {} for {}", to_string(*result.shape), to_string(*type.shape));
}

void infer(Infer& n) {
  n.output(0, n.elem(0), std::nullopt);
  if (!n.has_rank(0) || !n.has_rank(1) || !n.has_rank(2)) return;
  const Shape &q = n.shape(0), &k = n.shape(1), &v = n.shape(2);
  check_shapes(n, q, k, v);
  const Type scores = Type::tensor(precision(n), Shape{q[0], q[1], q[2], k[2]});
  infer_modifier(n, "score_mod", scores);
  infer_modifier(n, "prob_mod", scores);
  n.output(0, n.elem(0), Shape{q[0], q[1], q[2], v[3]});
}

// The buffer with the subgraph's result for `from`.
BufferId modified(Lower& n, const char* name, BufferId from) {
  if (!n.has_attr(name)) return from;
  const Graph& body = n.attr_graph(name);
  n.bind(*body.inputs[0], from);
  n.lower_body(body);
  return n.buffer_of(*body.outputs[0]);
}

void lower(Lower& n) {
  const Shape &q = n.shape(0), &k = n.shape(1), &v = n.shape(2);
  const Dim rows = q[0] * q[1] * q[2], count = Dim::max(rows * k[2], 1);
  const BufferId scores = n.scratch(precision(n), count, "scores");
  const FlexSizes<Dim> sizes = {q[0], q[1], k[1], q[2], k[2]};
  const bool scaled = n.has_attr("scale");
  n.call("flex_scores",
         FlexScoresShape<Dim>{sizes, q[3], scaled, scaled ? n.attr_float("scale") : 1.0f})
      .in({0, 1})
      .write(scores)
      .macs(rows * k[2] * q[3]);
  const BufferId wanted = modified(n, "score_mod", scores);
  const BufferId chances = wanted == scores ? scores : n.scratch(precision(n), count, "chances");
  n.call("flex_softmax", FlexSoftmaxShape<Dim>{rows, k[2]}).read(wanted).write(chances);
  const BufferId weights = modified(n, "prob_mod", chances);
  n.call("flex_output", FlexOutputShape<Dim>{sizes, v[3]})
      .read(weights)
      .in(2)
      .out(0)
      .macs(rows * k[2] * v[3]);
}

constexpr Op rows[] = {{
    .name = "FlexAttention",
    .domain = "ai.onnx.preview",
    .versions = "1",
    .inputs = "Q:T1 K:T1 V:T1",
    .outputs = "Y:T1",
    .types = "T1: floats",
    .attributes = "prob_mod:graph scale:float score_mod:graph softmax_precision:int",
    .infer = infer,
    .lower = lower,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::flex_attention

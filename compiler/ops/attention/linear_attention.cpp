// LinearAttention: attention by one state matrix per head, which every token decays and updates.
#include <cmath>

#include "compiler/kernels/attention_calls.hpp"
#include "compiler/ops/elementwise/elementwise.hpp"
#include "compiler/ops/upgrade.hpp"

namespace onnxc::ops::linear_attention {
namespace {

struct Sizes {
  std::int64_t q_heads = 1, kv_heads = 1;
  Dim batch, length, width, v_width, k_heads;

  Dim outputs() const { return std::max(q_heads, kv_heads); }
};

// com.microsoft's operator allows fewer queries and keys than states.
bool is_contrib(const NodeView& n) { return n.node().op->domain == "com.microsoft"; }

Dim per_head(const NodeView& n, std::size_t i, std::int64_t heads) {
  const Dim& packed = (*n.input(i).shape)[2];
  n.require(!packed.is_const() || packed.value() % heads == 0, fmt::format("input {}", i),
            "{} elements for {} heads", packed.to_string(), heads);
  n.same(Dim::floor_div(packed, heads) * heads, packed, fmt::format("input {}", i));
  return Dim::floor_div(packed, heads);
}

// As many heads of the queries' width as the keys have.
Dim key_heads(const NodeView& n, const Sizes& s) {
  const Dim& columns = (*n.input(1).shape)[2];
  if (!columns.is_const() || !s.width.is_const()) {
    const Dim heads = Dim::floor_div(columns, s.width);
    n.at_least(heads, 1, "input 1");
    n.same(heads * s.width, columns, "input 1");
    n.same(Dim::floor_div(s.kv_heads, heads) * heads, s.kv_heads, "input 1");
    return heads;
  }
  n.require(s.width.value() > 0, "input 0 \"query\"", "no elements for a head");
  const std::int64_t heads = columns.value() / s.width.value();
  n.require(heads > 0 && columns.value() % s.width.value() == 0 && s.kv_heads % heads == 0,
            "input 1 \"key\"", "{} elements are no heads of {} that divide {}", columns.value(),
            s.width.value(), s.kv_heads);
  return heads;
}

Sizes read(const NodeView& n) {
  Sizes s;
  s.q_heads = n.attr_int("q_num_heads");
  s.kv_heads = n.attr_int("kv_num_heads");
  n.require(s.kv_heads > 0, "attribute \"kv_num_heads\"", "{} heads", s.kv_heads);
  const bool shares = is_contrib(n) && s.q_heads > 0 && s.kv_heads % s.q_heads == 0;
  n.require(shares || (s.q_heads > 0 && s.q_heads % s.kv_heads == 0), "attribute \"q_num_heads\"",
            "{} is no multiple of the {} of keys", s.q_heads, s.kv_heads);
  for (std::size_t i = 0; i < 3; ++i)
    n.require(n.input(i).rank() == 3, fmt::format("input {}", i), "rank {}, needs 3",
              n.input(i).rank());
  s.batch = (*n.input(0).shape)[0];
  s.length = (*n.input(0).shape)[1];
  s.width = per_head(n, 0, s.q_heads);
  s.v_width = per_head(n, 2, s.kv_heads);
  s.k_heads = is_contrib(n) ? key_heads(n, s) : Dim(s.kv_heads);
  return s;
}

void check(const NodeView& n, std::size_t i, const Shape& want) {
  if (!n.has_input(i) || !n.input(i).has_rank()) return;
  const Shape& shape = *n.input(i).shape;
  bool fits = shape.size() == want.size();
  for (std::size_t k = 0; fits && k < want.size(); ++k)
    fits = !shape[k].is_const() || !want[k].is_const() || shape[k] == want[k];
  n.require(fits, fmt::format("input {}", i), "{}, needs {}", to_string(shape), to_string(want));
  for (std::size_t k = 0; k < want.size(); ++k)
    n.same(shape[k], want[k], fmt::format("input {}", i));
}

// Checks the last extent of input i: the full form, or the short form with one value per head or
// per token.
Dim last_extent(const NodeView& n, std::size_t i, const Dim& whole, const Dim& brief) {
  if (!n.has_input(i) || !n.input(i).has_rank() || n.input(i).rank() != 3) return whole;
  const Dim& own = (*n.input(i).shape)[2];
  if (own == brief || own == whole || own.is_const()) return own == brief ? brief : whole;
  // A dynamic dimension has to be one of the two; nothing between them is valid.
  const std::string field = fmt::format("input {}", i);
  n.at_most(own, Dim::max(whole, brief), field);
  n.at_least(own - Dim::min(whole, brief), 0, field);
  n.same((own - brief) * (own - whole), 0, field);
  return own;
}

void check_rule(const NodeView& n) {
  const std::string& rule = n.attr_string("update_rule");
  const bool decays = rule == "gated" || rule == "gated_delta";
  const bool corrects = rule == "delta" || rule == "gated_delta";
  n.require(decays || corrects || rule == "linear", "attribute \"update_rule\"",
            "{} is no update rule", quoted(rule));
  n.require(n.has_input(4) == decays, "input 4 \"decay\"", "{} update_rule {}",
            decays ? "is needed for" : "does not go with", quoted(rule));
  n.require(n.has_input(5) == corrects, "input 5 \"beta\"", "{} update_rule {}",
            corrects ? "is needed for" : "does not go with", quoted(rule));
}

void infer(Infer& n) {
  check_rule(n);
  const ElemType state = n.has_input(3) ? n.elem(3) : n.elem(0);
  n.output(0, n.elem(0), std::nullopt);
  n.output(1, state, std::nullopt);
  if (!n.has_rank(0) || !n.has_rank(1) || !n.has_rank(2)) return;
  const Sizes s = read(n);
  check(n, 1, Shape{s.batch, s.length, s.width * s.k_heads});
  check(n, 2, Shape{s.batch, s.length, s.v_width * s.kv_heads});
  const Shape matrices{s.batch, s.kv_heads, s.width, s.v_width};
  check(n, 3, matrices);
  check(n, 4, Shape{s.batch, s.length, last_extent(n, 4, s.width * s.kv_heads, s.kv_heads)});
  check(n, 5, Shape{s.batch, s.length, last_extent(n, 5, s.kv_heads, 1)});
  n.output(0, n.elem(0), Shape{s.batch, s.length, s.v_width * s.outputs()});
  n.output(1, state, matrices);
}

void lower(Lower& n) {
  const Sizes s = read(n);
  const ElemType state = n.has_input(3) ? n.elem(3) : n.elem(0);
  Call call = n.call(
      "linear_attention",
      LinearAttentionShape<Dim>{
          .batch = s.batch,
          .length = s.length,
          .q_heads = s.q_heads,
          .k_heads = s.k_heads,
          .kv_heads = s.kv_heads,
          .width = s.width,
          .v_width = s.v_width,
          .decay_width = n.has_input(4) ? Dim::floor_div(n.shape(4)[2], s.kv_heads) : s.width,
          .beta_heads = n.has_input(5) ? n.shape(5)[2] : Dim(s.kv_heads),
          .scale = n.attr_float("scale")});
  call.in({0, 1, 2}).in(3, state).in(4, n.elem(0)).in(5, n.elem(0)).out(0).out(1, state);
  call.write(n.scratch(ElemType::float32, (s.width + 1) * s.v_width, "memory"));
  call.macs(s.batch * s.length * (s.outputs() + 2 * s.kv_heads) * s.width * s.v_width);
}

// ---- the definition as a Scan over the tokens, which the gradient goes through ----------------

// Operands in float32, [batch, length, kv_heads, ...]: one matrix for each token and head.
struct Tokens {
  Term query;        // [group, width]
  Term key, value;   // [1, width], [1, v_width]
  Term decay, beta;  // [width or 1, 1], [1, 1], or none
};

Tokens tokens_of(const Gradient& n, const Sizes& s) {
  const auto reshaped = [&](std::size_t i, std::vector<std::int64_t> matrix) {
    if (!n.has_input(i)) return Term{};
    matrix.insert(matrix.begin(), {0, 0});
    return n.emit("Reshape", {convert(n.x(i), ElemType::float32), n.list(std::move(matrix))});
  };
  const std::int64_t heads = s.kv_heads;
  return {reshaped(0, {heads, s.q_heads / heads, s.width.value()}),
          reshaped(1, {heads, 1, s.width.value()}), reshaped(2, {heads, 1, s.v_width.value()}),
          reshaped(4, {heads, -1, 1}), reshaped(5, {-1, 1, 1})};
}

// The memory after one token: decayed, then moved towards mapping the key to the value.
Term updated(Term memory, const Tokens& t) {
  if (t.decay.value) memory = memory * apply("Exp", t.decay);
  Term fresh = t.value;
  if (t.beta.value) fresh = t.beta * (fresh - matmul(t.key, memory));
  return memory + matmul(permute(t.key, {0, 1, 3, 2}), fresh);
}

Term first_memory(const Gradient& n, const Sizes& s) {
  if (n.has_input(3)) return convert(n.x(3), ElemType::float32);
  const Term batch = n.emit("Shape", {n.x(0)}, {{"end", std::int64_t{1}}});
  const Term rest = n.list({s.kv_heads, s.width.value(), s.v_width.value()});
  const Term shape = n.emit("Concat", {batch, rest}, {{"axis", std::int64_t{0}}});
  return n.emit("ConstantOfShape", {shape});
}

// Adds the inputs and outputs of one iteration to `body`; returns what is scanned.
std::vector<Value*> build_iteration(const Gradient& n, const Sizes& s, Term memory, double scale,
                                    Graph& body) {
  const auto inner = n.builder().inside(body);
  const auto input = [&](Type type) {
    body.inputs.push_back(body.add_value(body.fresh_name("token"), std::move(type)));
    return inner->term(body.inputs.back());
  };
  std::vector<Value*> scanned;
  const auto slice = [&](Term whole) {
    if (!whole.value) return Term{};
    scanned.push_back(whole);
    Shape shape = *whole.type().shape;
    shape.erase(shape.begin() + 1);
    return input(Type::tensor(ElemType::float32, shape));
  };
  const Term old = input(memory.type());
  const Tokens all = tokens_of(n, s);
  const Tokens one = {slice(all.query), slice(all.key), slice(all.value), slice(all.decay),
                      slice(all.beta)};
  const Term now = updated(old, one);
  body.outputs = {now, matmul(one.query, now) * scale};
  return scanned;
}

void gradient(Gradient& n) {
  for (std::size_t i = 0; i < 3; ++i) n.shape(i);
  const Sizes s = read(n);
  n.require(s.q_heads >= s.kv_heads && s.k_heads.is(s.kv_heads), "attribute \"q_num_heads\"",
            "the gradient needs queries and keys for every state");
  n.require_known(s.width.is_const() && s.v_width.is_const(), "input 0",
                  "the gradient needs head sizes known at compile time");
  const double given = double{n.attr_float("scale")};
  const double scale = given != 0 ? given : 1 / std::sqrt(static_cast<double>(s.width.value()));
  const auto body = std::make_shared<Graph>();
  body->name = "tokens";
  body->parent = &n.builder().graph();
  const Term memory = first_memory(n, s);
  std::vector<Value*> operands = build_iteration(n, s, memory, scale, *body);
  const auto count = static_cast<std::int64_t>(operands.size());
  operands.insert(operands.begin(), memory);
  const std::vector<std::int64_t> axes(static_cast<std::size_t>(count), 1);
  const auto results = n.builder().add(get("Scan"), operands, 2,
                                       {{"body", body},
                                        {"num_scan_inputs", count},
                                        {"scan_input_axes", axes},
                                        {"scan_output_axes", std::vector<std::int64_t>{1}}});
  const Term y = n.emit("Reshape", {results[1], n.list({0, 0, s.v_width.value() * s.q_heads})});
  const ElemType state = n.has_input(3) ? n.input(3).elem : n.input(0).elem;
  n.by_definition({convert(y, n.input(0).elem), convert(n.builder().term(results[0]), state)});
}

// Leaves out what the rule does not read; the standard's operator forbids it.
void upgrade_contrib(Upgrade& n) {
  if (n.attr_int("state_window") != 0)
    n.unsupported("attribute \"state_window\"", "only 0 is supported");
  n.remove("state_window");
  const std::string& rule = n.attr_string("update_rule");
  if (n.has_input(4) && (rule == "linear" || rule == "delta")) n.set_input(4, nullptr);
  if (n.has_input(5) && (rule == "linear" || rule == "gated")) n.set_input(5, nullptr);
  std::vector<Value*> inputs = n.node().inputs;
  while (!inputs.empty() && !inputs.back()) inputs.pop_back();
  n.mutable_node().inputs = inputs;
}

constexpr Op linear_attention() {
  return {
      .name = "LinearAttention",
      .versions = "27",
      .inputs = "query:T key:T value:T past_state:S? decay:T? beta:T?",
      .outputs = "output:T present_state:S?",
      .types = "T: float float16 bfloat16; S: float float16 bfloat16",
      .attributes =
          "chunk_size:int=64 kv_num_heads:int! q_num_heads:int! scale:float=0 "
          "update_rule:string=gated_delta",
      .infer = infer,
      .lower = lower,
      .gradient = gradient,
  };
}

constexpr Op contrib_linear_attention() {
  Op row = contrib(linear_attention());
  row.attributes =
      "chunk_size:int=64 kv_num_heads:int! q_num_heads:int! scale:float=0 "
      "state_window:int=0 update_rule:string=gated_delta";
  row.limits = "state_window";
  row.upgrade = upgrade_contrib;
  return row;
}

constexpr Op rows[] = {linear_attention(), contrib_linear_attention()};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::linear_attention

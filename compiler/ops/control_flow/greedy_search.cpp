// com.microsoft GreedySearch: runs a decoder repeatedly, each time on the most likely token. It
// becomes a Loop around the decoder. BeamSearch, Sampling and WhisperBeamSearch are listed only to
// be refused.
#include <limits>

#include "compiler/ops/upgrade.hpp"

namespace onnxc::ops::greedy_search {
namespace {

constexpr std::int64_t kInt32 = 6, kInt64 = 7;
// The decoder's inputs before the caches.
enum : std::size_t { kTokens, kPositions, kMask, kFirstPast };

// Appends nodes to the graph of the search, or to the body of its loop.
class Builder {
 public:
  explicit Builder(Upgrade& n) : n_(&n) {}
  Builder(Upgrade& n, Graph& body) : n_(&n), body_(&body) {}

  Value* operator()(const char* op, std::vector<Value*> inputs, Attributes attributes = {}) {
    if (!body_) return n_->emit(op, std::move(inputs), std::move(attributes));
    Value* out = body_->add_value(body_->fresh_name(op));
    Node* node = body_->add_node(&get(op), std::move(inputs), {out});
    node->op_type = n_->node().op_type;
    node->domain = n_->node().domain;
    node->attributes = std::move(attributes);
    return out;
  }
  Value* ints(std::vector<std::int64_t> values) { return n_->constant(Tensor::ints(values)); }
  Value* int32(std::int64_t value) { return (*this)("Cast", {ints({value})}, {{"to", kInt32}}); }
  Value* scalar(Value* x) { return (*this)("Reshape", {x, ints({})}); }
  Value* extent(Value* x, std::int64_t axis) {
    return (*this)("Shape", {x}, {{"start", axis}, {"end", axis + 1}});
  }

 private:
  Upgrade* n_;
  Graph* body_ = nullptr;
};

struct Search {
  Upgrade& n;
  std::int64_t eos = 0, pad = 0;

  Value* input(std::size_t i) const { return n.has_input(i) ? n.node().inputs[i] : nullptr; }
  Value* max_length() const { return input(1); }
};

// The state of the search: inputs of the next decoder call and the tokens so far.
struct State {
  Value *tokens, *positions, *mask, *sequences, *finished;
  Value* place;  // of the next token
  std::vector<Value*> past;

  std::vector<Value*> all() const {
    std::vector<Value*> values = {tokens, positions, mask, sequences, finished, place};
    values.insert(values.end(), past.begin(), past.end());
    return values;
  }
};

Value* lowest(Builder& b, Upgrade& n, Value* like) {
  return b("CastLike", {n.constant(Tensor::scalar(std::numeric_limits<float>::lowest())), like});
}

// Tokens that a mask forbids get the lowest score.
Value* allow(Builder& b, const Search& s, Value* scores, Value* mask) {
  Value* zero = b("CastLike", {b.ints({0}), mask});
  return b("Where", {b("Equal", {mask, zero}), lowest(b, s.n, scores), scores});
}

Value* penalise_repeats(Builder& b, Value* scores, Value* sequences, Value* penalty) {
  const Attributes axis = {{"axis", std::int64_t{1}}};
  Value* at = b("Cast", {sequences}, {{"to", kInt64}});
  Value* seen = b("GatherElements", {scores, at}, axis);
  Value* zero = b("CastLike", {b.ints({0}), seen});
  Value* less =
      b("Where", {b("Less", {seen, zero}), b("Mul", {seen, penalty}), b("Div", {seen, penalty})});
  return b("ScatterElements", {scores, at, less}, axis);
}

// The end token is forbidden up to the minimum length.
Value* forbid_end(Builder& b, const Search& s, Value* scores, Value* sequences) {
  Value* size = b.scalar(b.extent(scores, 1));
  Value* all = b("Range", {b.scalar(b.ints({0})), size, b.scalar(b.ints({1}))});
  Value* end = b("Equal", {all, b.ints({s.eos})});
  Value* length = b("Cast", {b.extent(sequences, 1)}, {{"to", kInt32}});
  Value* early = b("And", {b("Less", {length, s.input(2)}), end});
  return b("Where", {early, lowest(b, s.n, scores), scores});
}

// The state after a decoder call with these results: logits and caches.
State next_state(Builder& b, const Search& s, const State& before,
                 const std::vector<Value*>& results, bool first) {
  Value* last = b.scalar(b.ints({-1}));
  Value* scores = b("Gather", {results[0], last}, {{"axis", std::int64_t{1}}});
  if (s.input(3)) scores = penalise_repeats(b, scores, before.sequences, s.input(3));
  if (s.input(4)) scores = allow(b, s, scores, s.input(4));
  if (s.input(5) && first) scores = allow(b, s, scores, s.input(5));
  if (s.input(2)) scores = forbid_end(b, s, scores, before.sequences);
  Value* best = b("ArgMax", {scores}, {{"axis", std::int64_t{1}}});
  Value* token = b("Cast", {best}, {{"to", kInt32}});
  const Attributes axis = {{"axis", std::int64_t{1}}};
  State after = before;
  after.finished = b("Or", {before.finished, b("Equal", {token, b.int32(s.eos)})});
  after.tokens = b("Where", {after.finished, b.int32(s.pad), token});
  after.sequences = b("Concat", {before.sequences, after.tokens}, axis);
  Value* ones = b("CastLike", {b("Equal", {token, token}), before.mask});
  after.positions = before.place;
  after.place = b("Add", {before.place, b.int32(1)});
  after.mask = b("Concat", {before.mask, ones}, axis);
  after.past.assign(results.begin() + 1, results.end());
  return after;
}

// Whether a sequence has not ended yet.
Value* continues(Builder& b, const State& state) {
  Value* open = b("Cast", {b("Not", {state.finished})}, {{"to", kInt32}});
  return b.scalar(b("Cast", {b("ReduceMax", {open})}, {{"to", std::int64_t{9}}}));
}

// Before the first call: the prompt, and empty caches.
State prompt(Builder& b, const Search& s, const Graph& decoder) {
  State state;
  state.tokens = state.sequences = s.input(0);
  Value* counts = b("Not", {b("Equal", {state.tokens, b.int32(s.pad)})});
  Value* own = b("Cast", {counts}, {{"to", kInt32}});
  state.mask = s.input(6) ? s.input(6) : own;
  Value* sums = b("CumSum", {own, b.scalar(b.ints({1}))});
  state.positions = b("Mul", {b("Sub", {sums, b.int32(1)}), own});
  state.place = b("ReduceSum", {own, b.ints({1})});
  Value* batch = b.extent(state.tokens, 0);
  const Attributes no = {{"value", Tensor::zeros(ElemType::boolean, {1})}};
  state.finished =
      b("ConstantOfShape", {b("Concat", {batch, b.ints({1})}, {{"axis", std::int64_t{0}}})}, no);
  for (std::size_t i = kFirstPast; i < decoder.inputs.size(); ++i) {
    const Type& type = decoder.inputs[i]->type;
    const std::string field = fmt::format("attribute \"decoder\", input {}", i);
    s.n.require(type.is_tensor() && type.has_rank() && type.rank() == 5, field,
                "is no cache of rank 5");
    const Shape& shape = *type.shape;
    s.n.require(shape[2].is_const() && shape[4].is_const(), field, "has no fixed heads");
    Value* dims = b("Concat", {b.ints({2}), batch, b.ints({shape[2].value(), 0, shape[4].value()})},
                    {{"axis", std::int64_t{0}}});
    state.past.push_back(b("ConstantOfShape", {dims}, {{"value", Tensor::zeros(type.elem, {1})}}));
  }
  return state;
}

// The declared shapes hold for a single decoder call only.
void forget_shapes(Graph& graph) {
  for (auto& v : graph.values)
    if (!v->constant && v->type.is_tensor()) v->type = Type::tensor(v->type.elem);
}

void check_decoder(const Upgrade& n, const Graph& g, const std::string& attribute) {
  n.require(g.inputs.size() > kFirstPast && g.outputs.size() + 2 == g.inputs.size(),
            "attribute " + quoted(attribute), "has {} inputs and {} outputs", g.inputs.size(),
            g.outputs.size());
}

// Moves the nodes of a graph before the node of the search; its inputs are these values.
std::vector<Value*> inlined(Upgrade& n, Graph& g, const std::vector<Value*>& inputs) {
  forget_shapes(g);
  for (std::size_t i = 0; i < inputs.size(); ++i) replace_uses(g.inputs[i], inputs[i]);
  Graph& target = n.graph();
  for (auto& v : g.values) {
    v->name = target.fresh_name(v->name);
    target.values.push_back(std::move(v));
  }
  g.values.clear();
  for (auto& node : g.nodes) {
    each_subgraph(*node, [&](Graph& inner) { inner.parent = &target; });
    n.before.push_back(std::move(node));
  }
  g.nodes.clear();
  g.inputs.clear();
  const std::vector<Value*> outputs = g.outputs;
  g.outputs.clear();
  return outputs;
}

std::vector<Value*> decoder_inputs(const State& state) {
  std::vector<Value*> values = {state.tokens, state.positions, state.mask};
  values.insert(values.end(), state.past.begin(), state.past.end());
  return values;
}

// The decoder as the body of a Loop: iteration, condition, state -> condition, state.
void make_body(const Search& s, Graph& body) {
  forget_shapes(body);
  const std::vector<Value*> own = body.inputs;
  const auto fresh = [&](const char* name, ElemType elem) {
    return body.add_value(body.fresh_name(name), Type::tensor(elem));
  };
  State state;
  state.tokens = own[kTokens];
  state.positions = own[kPositions];
  state.mask = own[kMask];
  state.sequences = fresh("sequences", ElemType::int32);
  state.finished = fresh("finished", ElemType::boolean);
  state.place = fresh("place", ElemType::int32);
  state.past.assign(own.begin() + kFirstPast, own.end());
  body.inputs = {fresh("iteration", ElemType::int64), fresh("condition", ElemType::boolean)};
  for (Value* v : state.all()) body.inputs.push_back(v);
  Builder b(s.n, body);
  const State after = next_state(b, s, state, body.outputs, false);
  body.outputs = {continues(b, after)};
  for (Value* v : after.all()) body.outputs.push_back(v);
}

void upgrade(Upgrade& n) {
  for (const char* name : {"model_type", "no_repeat_ngram_size"})
    if (n.attr_int(name) != 0) n.unsupported("attribute " + quoted(name), "only 0 is supported");
  const Search s{n, n.attr_int("eos_token_id"), n.attr_int("pad_token_id")};
  const Attribute body = *n.node().find("decoder");
  Graph& decoder = n.attr_graph("decoder");
  check_decoder(n, decoder, "decoder");
  Builder b(n);
  State state = prompt(b, s, decoder);
  const bool has_first = n.node().find("init_decoder") != nullptr;
  if (!has_first && n.has_input(5))
    n.unsupported("input 5 \"prefix_vocab_mask\"", "needs an init_decoder");
  if (has_first) {
    Graph& first = n.attr_graph("init_decoder");
    check_decoder(n, first, "init_decoder");
    const std::vector<Value*> results = inlined(n, first, decoder_inputs(state));
    state = next_state(b, s, state, results, true);
  }
  Value* condition = continues(b, state);
  Value* most = b("Cast", {s.max_length()}, {{"to", kInt64}});
  Value* trips = b.scalar(b("Sub", {most, b.extent(state.sequences, 1)}));
  make_body(s, decoder);
  Node& node = n.mutable_node();
  Value* out = node.outputs[0];
  node.inputs = {trips, condition};
  node.outputs.clear();
  const auto fresh = [&] { return n.graph().add_value(n.graph().fresh_name(out->name)); };
  for (Value* v : state.all()) {
    node.inputs.push_back(v);
    node.outputs.push_back(nullptr);
  }
  Value* sequences = node.outputs[3] = fresh();
  sequences->producer = &node;
  node.attributes = {{"body", body}};
  n.to("Loop");
  // Positions after the end hold zeros.
  Value *length = fresh(), *rest = fresh(), *batch = fresh(), *dims = fresh(), *zeros = fresh();
  const auto axis = [](std::int64_t i) { return Attributes{{"start", i}, {"end", i + 1}}; };
  n.emit_after("Shape", {sequences}, length, axis(1));
  n.emit_after("Sub", {most, length}, rest);
  n.emit_after("Shape", {sequences}, batch, axis(0));
  n.emit_after("Concat", {batch, rest}, dims, {{"axis", std::int64_t{0}}});
  n.emit_after("ConstantOfShape", {dims}, zeros, {{"value", Tensor::zeros(ElemType::int32, {1})}});
  n.emit_after("Concat", {sequences, zeros}, out, {{"axis", std::int64_t{1}}});
}

void refuse(Upgrade& n) {
  n.unsupported("",
                "searches over several candidates, or with random choices, are not supported: "
                "export the decoder, and search in the program around it");
}

constexpr Op search_by_name(std::string_view name) {
  return contrib({
      .name = name,
      .inputs = "inputs:any~",
      .outputs = "outputs:any~",
      .attributes = "decoder:graph encoder:graph init_decoder:graph decoder_start_token_id:int "
                    "early_stopping:int eos_token_id:int model_type:int no_repeat_ngram_size:int "
                    "pad_token_id:int vocab_size:int custom:int filter_value:float "
                    "min_tokens_to_keep:int presence_penalty:float temperature:float top_p:float "
                    "beginning_timestamp_token_id:int cross_qk_layer_head:ints "
                    "decoder_output_cross_qk:int extra_decoding_ids:ints no_speech_token_id:int "
                    "no_timestamps_token_id:int start_of_lm_token_id:int "
                    "transcribe_token_id:int translate_token_id:int",
      .limits = "refused: only GreedySearch is supported",
      .upgrade = refuse,
  });
}

constexpr Op rows[] = {
    contrib({
        .name = "GreedySearch",
        .inputs = "input_ids:int32 max_length:int32 min_length:int32? repetition_penalty:float? "
                  "vocab_mask:int32? prefix_vocab_mask:int32? attention_mask:int32?",
        .outputs = "sequences:int32",
        .attributes = "decoder:graph! eos_token_id:int! pad_token_id:int! init_decoder:graph "
                      "encoder:graph decoder_start_token_id:int=-1 model_type:int=0 "
                      "no_repeat_ngram_size:int=0 vocab_size:int=-1",
        .limits = "model_type and no_repeat_ngram_size other than 0",
        .upgrade = upgrade,
    }),
    search_by_name("BeamSearch"),
    search_by_name("Sampling"),
    search_by_name("WhisperBeamSearch"),
};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::greedy_search

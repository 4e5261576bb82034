// The decoder of a search and the Loop around it; see token_search.hpp.
#include "compiler/ops/control_flow/token_search.hpp"

#include "compiler/ir/clone.hpp"
#include "compiler/ir/editor.hpp"

namespace onnxc::ops::search {
namespace {

// The decoder's inputs before the caches.
enum : std::size_t { kTokens, kPositions, kMask, kFirstPast };

// The declared shapes hold for a single decoder call only.
void clear_shapes(Graph& graph) {
  for (auto& v : graph.values)
    if (!v->constant && v->type.is_tensor()) v->type = Type::tensor(v->type.elem);
}

void check_gpt(const Upgrade& n, const Graph& g, const char* attribute) {
  n.require(g.inputs.size() > kFirstPast && g.outputs.size() + 2 == g.inputs.size(),
            "attribute " + quoted(attribute), "has {} inputs and {} outputs", g.inputs.size(),
            g.outputs.size());
}

// The last token's scores.
Value* last_logits(Builder& b, Value* logits) {
  Value* last = b("Gather", {logits, b.scalar(b.ints({-1}))}, {{"axis", std::int64_t{1}}});
  return b("onnxc::ToFloat32", {last});
}

State after(Builder& b, const Search& s, const State& before, const std::vector<Value*>& results,
            const Choice& choice) {
  State next = s.advance(b, before, results, choice);
  next.sequences = choice.sequences;
  next.own = choice.own;
  return next;
}

// The decoder as the body of a Loop: iteration, condition, state -> condition, state, scan.
// Returns whether there is a scan.
bool make_body(const Search& s, Graph& body, const State& outer) {
  clear_shapes(body);
  State state = outer;
  const std::vector<Value*> own = body.inputs;
  body.inputs = {body.add_value(body.fresh_name("iteration"), Type::tensor(ElemType::int64)),
                 body.add_value(body.fresh_name("condition"), Type::tensor(ElemType::boolean))};
  const auto enter = [&](Value*& v) {
    v = body.add_value(body.fresh_name("state"));
    body.inputs.push_back(v);
  };
  for (std::size_t i = 0; i < own.size(); ++i) body.inputs.push_back(state.inputs[i] = own[i]);
  enter(state.sequences);
  if (state.place) enter(state.place);
  for (Value*& v : state.own) enter(v);
  GraphEditor editor(body);
  editor.set_provenance(s.n.node());
  Builder b(s.n, editor);
  const std::vector<Value*> results(body.outputs.begin(), body.outputs.end());
  const Choice choice = s.choose(b, state, last_logits(b, results[0]), false);
  const State next = after(b, s, state, results, choice);
  body.outputs = {choice.goes_on};
  for (Value* v : next.all()) body.outputs.push_back(v);
  if (choice.scan) body.outputs.push_back(choice.scan);
  return choice.scan != nullptr;
}

// The Loop; its results are the state after it. What only the decoder needs is left out.
Found loop(const Search& s, const std::shared_ptr<Graph>& body, const State& state, Value* trips,
           Value* condition) {
  Found found{.state = state};
  const bool scans = make_body(s, *body, state);
  std::vector<Value*> inputs = {trips, condition}, outputs;
  for (Value* v : state.all()) inputs.push_back(v);
  const auto leave = [&](Value*& v) { outputs.push_back(v = s.n.editor().value({}, "found")); };
  outputs.resize(state.inputs.size());
  leave(found.state.sequences);
  if (state.place) outputs.push_back(nullptr);
  for (Value*& v : found.state.own) leave(v);
  if (scans) leave(found.scans);
  s.n.editor().emit_as(std::move(outputs), get("Loop"), inputs, {{"body", body}});
  return found;
}

}  // namespace

std::vector<Value*> State::all() const {
  std::vector<Value*> values = inputs;
  values.push_back(sequences);
  if (place) values.push_back(place);
  values.insert(values.end(), own.begin(), own.end());
  return values;
}

std::vector<Value*> inlined(Upgrade& n, Graph& g, const std::vector<Value*>& inputs) {
  clear_shapes(g);
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
  const std::vector<Value*> outputs(g.outputs.begin(), g.outputs.end());
  g.outputs.clear();
  return outputs;
}

Found run(const Search& s, const Start& start, Value* most) {
  Builder b(s.n);
  const Choice choice = s.choose(b, start.prompt, last_logits(b, start.results[0]), true);
  const State state = after(b, s, start.prompt, start.results, choice);
  Value* trips = b.scalar(b("Sub", {most, b.extent(choice.sequences, 1)}));
  Found found = loop(s, start.decoder, state, trips, choice.goes_on);
  if (!choice.scan) return found;
  Value* one = b("Unsqueeze", {choice.scan, b.ints({0})});
  // A loop that never ran does not know the shape of its slices.
  Value* shape = b.join({b.extent(found.scans, 0), b("Shape", {choice.scan})});
  Value* others = b("Reshape", {found.scans, shape}, {{"allowzero", std::int64_t{1}}});
  found.scans = b.join({one, others});
  return found;
}

std::shared_ptr<Graph> graph_of(const Upgrade& n, const char* attribute) {
  const Attribute* found = n.node().find(attribute);
  n.require(found != nullptr, "attribute " + quoted(attribute), "is left out");
  return std::get<std::shared_ptr<Graph>>(*found);
}

Value* empty_cache(Builder& b, const Upgrade& n, const Graph& decoder, std::size_t input,
                   std::vector<Value*> dims) {
  const Type& type = decoder.inputs[input]->type;
  const std::string field = fmt::format("attribute \"decoder\", input {}", input);
  n.require(type.is_tensor() && type.has_rank() && type.rank() == dims.size(), field,
            "is no cache of rank {}", dims.size());
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (dims[i]) continue;
    const Dim& declared = (*type.shape)[i];
    n.require(declared.is_const(), field, "has no fixed heads");
    dims[i] = b.ints({declared.value()});
  }
  return b.filled(Tensor::zeros(type.elem, {1}), dims);
}

Start gpt_start(Builder& b, Upgrade& n, Value* tokens, Value* mask, std::int64_t pad) {
  Start start;
  start.decoder = graph_of(n, "decoder");
  check_gpt(n, *start.decoder, "decoder");
  Value* counts = b("Not", {b("Equal", {tokens, b.int32(pad)})});
  Value* own = b.cast(counts, kInt32);
  Value* sums = b("CumSum", {own, b.scalar(b.ints({1}))});
  Value* positions = b("Mul", {b("Sub", {sums, b.int32(1)}), own});
  State& state = start.prompt;
  state.sequences = tokens;
  state.place = b("ReduceSum", {own, b.ints({1})});
  state.inputs = {tokens, positions, mask ? mask : own};
  for (std::size_t i = kFirstPast; i < start.decoder->inputs.size(); ++i)
    state.inputs.push_back(
        empty_cache(b, n, *start.decoder, i,
                    {b.ints({2}), b.extent(tokens, 0), nullptr, b.ints({0}), nullptr}));
  const bool own_graph = n.node().find("init_decoder") != nullptr;
  const auto first =
      own_graph ? graph_of(n, "init_decoder") : copy_graph(*start.decoder, n.graph(), {});
  if (own_graph) check_gpt(n, *first, "init_decoder");
  start.results = inlined(n, *first, state.inputs);
  return start;
}

State gpt_advance(Builder& b, const State& before, const std::vector<Value*>& results,
                  const Choice& choice) {
  State next = before;
  next.inputs[kTokens] = choice.tokens;
  next.inputs[kPositions] = before.place;
  next.place = b("Add", {before.place, b.int32(1)});
  Value* mask = before.inputs[kMask];
  Value* ones = b("CastLike", {b("Equal", {choice.tokens, choice.tokens}), mask});
  next.inputs[kMask] = b.join({mask, ones}, 1);
  for (std::size_t i = 1; i < results.size(); ++i) {
    Value* cache = results[i];
    if (choice.parents) cache = b("Gather", {cache, choice.parents}, {{"axis", std::int64_t{1}}});
    next.inputs[kFirstPast + i - 1] = cache;
  }
  return next;
}

}  // namespace onnxc::ops::search

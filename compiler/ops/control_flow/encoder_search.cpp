// The encoder and its decoder; see encoder_search.hpp.
#include "compiler/ops/control_flow/encoder_search.hpp"

#include "compiler/ir/clone.hpp"
#include "compiler/ir/editor.hpp"

namespace onnxc::ops::search {
namespace {

// Inputs of the decoder: tokens, mask (T5), hidden states (not always), for each layer a key and a
// value of what it decoded, [rows, heads, past, size], and then of what the encoder gave it.
struct Parts {
  std::size_t first_cache = 0, layers = 0;
  bool hidden = false;

  std::size_t own() const { return 2 * layers; }  // caches of what was decoded
  std::size_t fixed() const { return first_cache + own(); }
};

Parts parts_of(const Upgrade& n, const Graph& decoder, bool masked) {
  const std::size_t least = masked ? 2 : 1, inputs = decoder.inputs.size();
  Parts p;
  p.layers = decoder.outputs.size() / 2;
  p.hidden = inputs == least + 1 + 4 * p.layers;
  p.first_cache = least + (p.hidden ? 1 : 0);
  n.require(
      p.layers > 0 && decoder.outputs.size() % 2 == 1 && inputs == p.first_cache + 4 * p.layers,
      "attribute \"decoder\"", "has {} inputs and {} outputs", inputs, decoder.outputs.size());
  return p;
}

// What each call of the decoder reads unchanged is not a state of the loop.
void fix_inputs(Graph& decoder, const std::vector<Value*>& values) {
  std::vector<Value*> own;
  for (std::size_t i = 0; i < decoder.inputs.size(); ++i) {
    if (values[i])
      replace_uses(decoder.inputs[i], values[i]);
    else
      own.push_back(decoder.inputs[i]);
  }
  decoder.inputs = own;
}

// The decoder may want all tokens of a sequence at each call.
bool reads_sequences(const Graph& decoder) {
  const Type& type = decoder.inputs[0]->type;
  if (!type.is_tensor() || !type.has_rank() || type.rank() != 2) return true;
  const Dim& tokens = (*type.shape)[1];
  return !tokens.is_const() || tokens.value() != 1;
}

}  // namespace

Start encoder_start(Builder& b, Upgrade& n, const EncoderInputs& inputs,
                    const std::function<Value*(Value*)>& repeat) {
  const bool masked = inputs.mask != nullptr;
  const auto encoder = graph_of(n, "encoder");
  Start start;
  start.decoder = graph_of(n, "decoder");
  Graph& decoder = *start.decoder;
  const Parts p = parts_of(n, decoder, masked);
  std::vector<Value*> read = {inputs.data};
  if (masked) read.push_back(inputs.mask);
  // A newer kind of encoder gives the caches alone.
  const bool decodes = encoder->outputs.size() != p.own();
  if (decodes) read.push_back(inputs.tokens);
  const std::size_t skipped = decodes ? 2 + p.own() : 0;  // logits, hidden states, own caches
  n.require(encoder->inputs.size() == read.size() && encoder->outputs.size() == skipped + p.own() &&
                (decodes || !p.hidden),
            "attribute \"encoder\"", "has {} inputs and {} outputs", encoder->inputs.size(),
            encoder->outputs.size());
  const std::vector<Value*> given = inlined(n, *encoder, read);

  State& state = start.prompt;
  state.sequences = repeat(inputs.tokens);
  state.inputs = {state.sequences};
  state.whole = reads_sequences(decoder);
  for (std::size_t i = 0; i < p.own() && !decodes; ++i)
    state.inputs.push_back(
        empty_cache(b, n, decoder, p.first_cache + i,
                    {b.extent(state.sequences, 0), nullptr, b.ints({0}), nullptr}));
  std::vector<Value*> fixed(decoder.inputs.size());
  if (masked) fixed[1] = repeat(inputs.mask);
  if (p.hidden) fixed[p.first_cache - 1] = repeat(given[1]);
  for (std::size_t i = 0; i < p.own(); ++i) fixed[p.fixed() + i] = repeat(given[skipped + i]);
  fix_inputs(decoder, fixed);
  if (!decodes) {
    start.results = inlined(n, *copy_graph(decoder, n.graph(), {}), state.inputs);
    return start;
  }
  start.results = {repeat(given[0])};
  for (std::size_t i = 0; i < p.own(); ++i) start.results.push_back(repeat(given[2 + i]));
  state.inputs.resize(1 + p.own());
  return start;
}

State encoder_advance(Builder& b, const State& before, const std::vector<Value*>& results,
                      const Choice& choice) {
  State next = before;
  next.inputs[0] = before.whole ? choice.sequences : choice.tokens;
  for (std::size_t i = 1; i < results.size(); ++i)
    next.inputs[i] = choice.parents
                         ? b("Gather", {results[i], choice.parents}, {{"axis", std::int64_t{0}}})
                         : results[i];
  return next;
}

}  // namespace onnxc::ops::search

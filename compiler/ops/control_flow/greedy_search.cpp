// com.microsoft GreedySearch: runs a decoder repeatedly, each time on the most likely token; and
// Sampling: on a token drawn from the likely ones.
#include "compiler/ops/control_flow/token_scores.hpp"

namespace onnxc::ops::greedy_search {
namespace {

using search::Builder, search::Choice, search::State;

// The tokens chosen for each row; a row that has ended gets the padding.
Choice continued(Builder& b, const State& state, Value* tokens, std::int64_t eos,
                 std::int64_t pad) {
  Choice choice;
  Value* finished = b("Or", {state.own[0], b("Equal", {tokens, b.int32(eos)})});
  choice.tokens = b("Where", {finished, b.int32(pad), tokens});
  choice.sequences = b.join({state.sequences, choice.tokens}, 1);
  choice.own = {finished};
  Value* open = b.cast(b("Not", {finished}), search::kInt32);
  choice.goes_on = b.scalar(b.cast(b("ReduceMax", {open}), search::kBool));
  return choice;
}

Value* input(const Upgrade& n, std::size_t i) {
  return n.has_input(i) ? n.node().inputs[i] : nullptr;
}

search::Processors read_processors(const Upgrade& n) {
  search::Processors p{.penalty = input(n, 3), .allowed = input(n, 4)};
  p.first_allowed = input(n, 5);
  p.least = input(n, 2);
  p.end = n.attr_int("eos_token_id");
  p.grams = n.attr_int("no_repeat_ngram_size");
  return p;
}

// The token of each row, [rows, 1], by its scores and the sequence so far.
using Pick = std::function<Value*(Builder&, Value* scores, Value* sequences)>;

// The node becomes the search; `most` is the length of its result.
void search_by(Upgrade& n, Builder& b, const search::Processors& scores, Value* most,
               const Pick& pick) {
  if (n.attr_int("model_type") != 0)
    n.unsupported("attribute \"model_type\"", "only 0 is supported");
  const std::int64_t pad = n.attr_int("pad_token_id");
  search::Start start = search::gpt_start(b, n, input(n, 0), input(n, 6), pad);
  Value* batch = b.extent(input(n, 0), 0);
  start.prompt.own = {b.filled(Tensor::zeros(ElemType::boolean, {1}), {batch, b.ints({1})})};
  const auto choose = [&](Builder& body, const State& state, Value* logits, bool first) {
    Value* processed = search::processed(body, scores, logits, state.sequences, first);
    Value* token = body.cast(pick(body, processed, state.sequences), search::kInt32);
    return continued(body, state, token, scores.end, pad);
  };
  const search::Search s{n, choose, search::gpt_advance};
  Value* found = search::run(s, start, most).state.sequences;
  // Positions after the end hold zeros.
  Value* rest = b("Sub", {most, b.extent(found, 1)});
  Value* zeros = b.filled(Tensor::zeros(ElemType::int32, {1}), {batch, rest});
  n.mutable_node().inputs = {found, zeros};
  n.mutable_node().attributes = {{"axis", std::int64_t{1}}};
  n.to("Concat");
}

Value* max_length(const Upgrade& n, Builder& b) {
  return b.list(b.cast(input(n, 1), search::kInt64));
}

void upgrade_greedy(Upgrade& n) {
  Builder b(n);
  search_by(n, b, read_processors(n), max_length(n, b), [](Builder& body, Value* scores, Value*) {
    return body("ArgMax", {scores}, {{"axis", std::int64_t{1}}});
  });
}

struct Sampling {
  float top_p = 0, filter_value = 0;
  std::int64_t least_kept = 0;
  bool custom = false;
  Value* numbers = nullptr;  // [max_length, rows], uniform in [0, 1)
};

// Which of the sorted tokens are left out: the most likely ones together have a probability of
// about top_p.
Value* left_out(Builder& b, const Sampling& s, Value* sorted, Value* size) {
  const Attributes row = {{"axis", std::int64_t{1}}};
  Value* sums = b("CumSum", {b("Softmax", {sorted}, row), b.scalar(b.ints({1}))});
  if (s.custom) {
    // From the most likely one down, after those that reach top_p.
    Value* before = b("Slice", {sums, b.ints({0}), b.ints({-1}), b.ints({1})});
    Value* first = b("Slice", {sums, b.ints({0}), b.ints({1}), b.ints({1})});
    return b("Greater", {b.join({b("Sub", {first, first}), before}, 1), b.real(s.top_p)});
  }
  Value* unlikely = b("LessOrEqual", {sums, b.real(1 - s.top_p)});
  Value* zero = b.scalar(b.ints({0}));
  Value* rank = b("Range", {zero, b.scalar(size), b.scalar(b.ints({1}))});
  Value* may = b("Less", {rank, b("Sub", {size, b.ints({s.least_kept})})});
  return b("And", {unlikely, b("Or", {may, b("Equal", {rank, zero})})});
}

// A token of those that are left, as likely as it is among them.
Value* drawn(Builder& b, const Sampling& s, Value* scores, Value* sequences) {
  const Attributes row = {{"axis", std::int64_t{1}}};
  Value* size = b.extent(scores, 1);
  Attributes order = row;
  order["largest"] = std::int64_t{s.custom};
  const std::vector<Value*> top = b.all("TopK", {scores, size}, 2, order);
  Value *sorted = top[0], *tokens = top[1];
  Value* left = b("Where", {left_out(b, s, sorted, size), b.real(s.filter_value), sorted});
  Value* sums = b("CumSum", {b("Softmax", {left}, row), b.scalar(b.ints({1}))});
  Value* total = b("Gather", {sums, b.ints({-1})}, row);
  Value* number = b("Gather", {s.numbers, b.extent(sequences, 1)}, {{"axis", std::int64_t{0}}});
  Value* at = b("Mul", {b("Reshape", {number, b.ints({-1, 1})}), total});
  Value* below = b.cast(b("LessOrEqual", {sums, at}), search::kInt64);
  Value* rank = b("ReduceSum", {below, b.ints({1})});
  Value* last = b("Sub", {size, b.ints({1})});
  return b("GatherElements", {tokens, b("Min", {rank, last})}, row);
}

void upgrade_sampling(Upgrade& n) {
  if (n.has_output(1)) n.unsupported("output 1 \"filtered_logits\"", "is for debugging only");
  Builder b(n);
  search::Processors scores = read_processors(n);
  const float temperature = n.attr_float("temperature");
  if (temperature > 0 && temperature != 1) scores.temperature = b.real(temperature);
  if (input(n, 7))
    scores.presence = b("Mul", {b.cast(input(n, 7), 1), b.real(n.attr_float("presence_penalty"))});
  Sampling s{n.attr_float("top_p"), n.attr_float("filter_value"), n.attr_int("min_tokens_to_keep")};
  s.custom = n.attr_int("custom") != 0;
  Value* most = max_length(n, b);
  // All numbers at once: a random operator inside the loop would repeat its own.
  Attributes seed;
  if (n.has_input(8)) {
    const Tensor* given = n.constant(8);
    if (!given || given->size() != 1) n.unsupported("input 8 \"seed\"", "is no constant");
    seed["seed"] = static_cast<float>(given->to_int64s()[0]);
  }
  Value* zeros = b.filled(Tensor::zeros(ElemType::float32, {1}), {most, b.extent(input(n, 0), 0)});
  s.numbers = b("RandomUniformLike", {zeros}, seed);
  search_by(n, b, scores, most, [&](Builder& body, Value* processed, Value* sequences) {
    return drawn(body, s, processed, sequences);
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
        .limits = "model_type other than 0",
        .upgrade = upgrade_greedy,
    }),
    contrib({
        .name = "Sampling",
        .inputs = "input_ids:int32 max_length:int32 min_length:int32? repetition_penalty:float? "
                  "vocab_mask:int32? prefix_vocab_mask:int32? attention_mask:int32? "
                  "presence_mask:int32? seed:int32?",
        .outputs = "sequences:int32 filtered_logits:float?",
        .attributes = "decoder:graph! eos_token_id:int! pad_token_id:int! init_decoder:graph "
                      "encoder:graph decoder_start_token_id:int=-1 model_type:int=0 "
                      "no_repeat_ngram_size:int=0 vocab_size:int=-1 temperature:float=1 "
                      "top_p:float=0 filter_value:float=-1e20 min_tokens_to_keep:int=0 "
                      "presence_penalty:float=0 custom:int=0",
        .limits = "model_type other than 0; a seed of the run; filtered_logits; other random "
                  "numbers than ONNX Runtime's",
        .upgrade = upgrade_sampling,
    }),
};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::greedy_search

// com.microsoft GreedySearch: runs a decoder repeatedly, each time on the most likely token.
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

void upgrade(Upgrade& n) {
  if (n.attr_int("model_type") != 0)
    n.unsupported("attribute \"model_type\"", "only 0 is supported");
  const auto input = [&](std::size_t i) { return n.has_input(i) ? n.node().inputs[i] : nullptr; };
  const std::int64_t eos = n.attr_int("eos_token_id"), pad = n.attr_int("pad_token_id");
  search::Processors scores{.penalty = input(3), .allowed = input(4), .first_allowed = input(5)};
  scores.least = input(2);
  scores.end = eos;
  scores.grams = n.attr_int("no_repeat_ngram_size");
  const search::Gpt gpt = search::read_gpt(n);
  Builder b(n);
  State prompt = search::gpt_prompt(b, n, *gpt.decoder, input(0), input(6), pad);
  Value* batch = b.extent(input(0), 0);
  prompt.own = {b.filled(Tensor::zeros(ElemType::boolean, {1}), {batch, b.ints({1})})};
  const auto choose = [&](Builder& body, const State& state, Value* logits, bool first) {
    Value* processed = search::processed(body, scores, logits, state.sequences, first);
    Value* best = body("ArgMax", {processed}, {{"axis", std::int64_t{1}}});
    return continued(body, state, body.cast(best, search::kInt32), eos, pad);
  };
  Value* most = b.list(b.cast(input(1), search::kInt64));
  const search::Search s{n, choose, search::gpt_advance};
  Value* found = search::run(s, *gpt.first, gpt.decoder, prompt, most).state.sequences;
  // Positions after the end hold zeros.
  Value* rest = b("Sub", {most, b.extent(found, 1)});
  Value* zeros = b.filled(Tensor::zeros(ElemType::int32, {1}), {batch, rest});
  n.mutable_node().inputs = {found, zeros};
  n.mutable_node().attributes = {{"axis", std::int64_t{1}}};
  n.to("Concat");
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
        .upgrade = upgrade,
    }),
};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::greedy_search

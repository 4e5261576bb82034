// com.microsoft BeamSearch: runs a decoder on the most likely sequences, several at a time.
#include "compiler/ops/control_flow/encoder_search.hpp"
#include "compiler/ops/control_flow/token_scores.hpp"

namespace onnxc::ops::beam_search {
namespace {

using search::Builder, search::Choice, search::State;

enum : std::size_t { kIds, kMax, kLeast, kBeams, kReturned, kLengthPenalty, kPenalty, kAllowed };
enum : std::size_t { kFirstAllowed = 8, kMask, kDecoderIds, kLogitsProcessor };
enum : std::size_t { kTemperature = 14, kCrossQk = 3 };
// The state of the search.
enum : std::size_t { kSums, kTokens, kEndedScores, kProgress };

struct Beams {
  Upgrade& n;
  search::Processors scores = {};
  Value *batch = nullptr, *beams = nullptr, *most = nullptr;  // [1], int64
  Value* length_penalty = nullptr;
  std::int64_t end = 0, pad = 0;
  bool scan = false;
  bool single = false;  // one beam, as the model says

  Value* input(std::size_t i) const { return n.has_input(i) ? n.node().inputs[i] : nullptr; }
};

// [batch, x, ...] -> [batch * beams, x, ...]
Value* repeated(Builder& b, const Beams& s, Value* x) {
  Value* all = b("Mul", {s.batch, s.beams});
  Value* rows = b("Range", {b.scalar(b.ints({0})), b.scalar(all), b.scalar(b.ints({1}))});
  return b("Gather", {x, b("Div", {rows, s.beams})}, {{"axis", std::int64_t{0}}});
}

// What the sum of a sequence's scores is divided by.
Value* norm(Builder& b, const Beams& s, Value* sequences) {
  Value* length = b.cast(b.extent(sequences, 1), 1);
  return s.length_penalty ? b("Pow", {length, s.length_penalty}) : length;
}

// One beam keeps its caches, even when its search is over.
Value* parents_of_caches(Builder& b, const Beams& s, Value* parents) {
  if (s.single) return nullptr;
  Value* count = b.scalar(b.extent(parents, 0));
  Value* own = b("Range", {b.scalar(b.ints({0})), count, b.scalar(b.ints({1}))});
  return b("Where", {b("Equal", {s.beams, b.ints({1})}), own, parents});
}

Choice choose(Builder& b, const Beams& s, const State& state, Value* logits, bool first) {
  const std::int64_t words = s.n.attr_int("vocab_size");
  if (words > 0) logits = b("Slice", {logits, b.ints({0}), b.ints({words}), b.ints({1})});
  Value* scores = b("LogSoftmax", {logits}, {{"axis", std::int64_t{1}}});
  scores = search::processed(b, s.scores, scores, state.sequences, first);
  scores = b("Add", {scores, b("Unsqueeze", {state.own[kSums], b.ints({1})})});
  const std::int64_t early = s.n.attr_int("early_stopping") == 1;
  const std::vector<Value*> next =
      b.all("onnxc::BeamStep",
            {scores, state.sequences, norm(b, s, state.sequences), state.own[kTokens],
             state.own[kEndedScores], state.own[kProgress]},
            6, {{"end", s.end}, {"pad", s.pad}, {"early", early}});
  Choice choice;
  choice.tokens = next[0];
  Value* kept = b("Gather", {state.sequences, next[1]}, {{"axis", std::int64_t{0}}});
  choice.sequences = b.join({kept, choice.tokens}, 1);
  choice.parents = parents_of_caches(b, s, next[1]);
  choice.own.assign(next.begin() + 2, next.end());
  Value* over = b("Gather", {next[5], b.scalar(b.ints({1}))}, {{"axis", std::int64_t{1}}});
  Value* all = b("ReduceMin", {over}, {{"keepdims", std::int64_t{0}}});
  choice.goes_on = b("Not", {b.cast(all, search::kBool)});
  if (s.scan) {
    Value* shape = b.join({s.batch, s.beams, b.ints({-1})});
    choice.scan = b("Reshape", {scores, shape});
  }
  return choice;
}

// The first beam of each sample has the sum 0, the others one that loses against it.
std::vector<Value*> first_state(Builder& b, const Beams& s) {
  Value* zero = b.filled(Tensor::zeros(ElemType::float32, {1}), {s.batch, b.ints({1})});
  const float least = -1e9F;
  Value* others = b.filled(Tensor::of<float>(ElemType::float32, {1}, std::span(&least, 1)),
                           {s.batch, b("Sub", {s.beams, b.ints({1})})});
  const std::int32_t pad = static_cast<std::int32_t>(s.pad);
  return {
      b("Reshape", {b.join({zero, others}, 1), b.ints({-1})}),
      b.filled(Tensor::of<std::int32_t>(ElemType::int32, {1}, std::span(&pad, 1)),
               {s.batch, s.beams, s.most}),
      b.filled(Tensor::zeros(ElemType::float32, {1}), {s.batch, s.beams}),
      b.filled(Tensor::zeros(ElemType::int32, {1}), {s.batch, b.ints({2})}),
  };
}

// The first sequences of each sample, and what else the node returns.
void finish(Builder& b, const Beams& s, const search::Found& found, Value* prompt) {
  const State& state = found.state;
  const std::vector<Value*> ended =
      b.all("onnxc::EndBeams",
            {state.own[kSums], state.sequences, norm(b, s, state.sequences), state.own[kTokens],
             state.own[kEndedScores], state.own[kProgress]},
            3, {{"pad", s.pad}});
  Value* returned = b.ints({1});
  if (s.input(kReturned)) returned = b.list(b.cast(s.input(kReturned), search::kInt64));
  const auto first = [&](Value* x) { return b("Slice", {x, b.ints({0}), returned, b.ints({1})}); };
  Node& node = s.n.mutable_node();
  const std::vector<Value*> outputs = node.outputs;
  if (outputs.size() > 1 && outputs[1]) s.n.emit_after("Identity", {first(ended[1])}, outputs[1]);
  if (s.scan) {
    // After an early end there are zeros.
    Value* steps = b("Sub", {s.most, b.extent(prompt, 1)});
    Value* rest = b("Sub", {steps, b.extent(found.scans, 0)});
    Value* shape = b("Shape", {found.scans}, {{"start", std::int64_t{1}}});
    Value* zeros = b.filled(Tensor::zeros(ElemType::float32, {1}), {rest, shape});
    s.n.emit_after("Concat", {found.scans, zeros}, outputs[2], {{"axis", std::int64_t{0}}});
  }
  node.inputs = {first(ended[0])};
  node.outputs = {outputs[0]};
  node.attributes.clear();
  s.n.to("Identity");
}

Beams read(Upgrade& n, Builder& b) {
  Beams s{.n = n};
  const auto number = [&](std::size_t i) { return b.list(b.cast(s.input(i), search::kInt64)); };
  n.require(s.input(kMax) != nullptr, "input 1 \"max_length\"", "is left out");
  s.end = s.scores.end = n.attr_int("eos_token_id");
  s.pad = n.attr_int("pad_token_id");
  s.batch = b.extent(s.input(kIds), 0);
  s.beams = s.input(kBeams) ? number(kBeams) : b.ints({1});
  s.most = number(kMax);
  s.single = !s.input(kBeams);
  if (Value* p = s.input(kLengthPenalty)) s.length_penalty = b.list(b("onnxc::ToFloat32", {p}));
  if (Value* p = s.input(kPenalty)) s.scores.penalty = b("onnxc::ToFloat32", {p});
  s.scores.allowed = s.input(kAllowed);
  if (Value* mask = s.input(kFirstAllowed)) s.scores.first_allowed = repeated(b, s, mask);
  s.scores.least = s.input(kLeast);
  s.scores.grams = n.attr_int("no_repeat_ngram_size");
  if (Value* t = s.input(kTemperature)) s.scores.temperature = b("onnxc::ToFloat32", {t});
  if (const Value* kind = s.input(kLogitsProcessor))
    if (!kind->constant || kind->constant->to_int64s() != std::vector<std::int64_t>{0})
      n.unsupported("input 11 \"logits_processor\"",
                    "only a constant 0 is supported: timestamps are not");
  s.scan = n.has_output(2);
  return s;
}

constexpr std::int64_t kGpt = 0, kT5 = 1, kWhisper = 2;

// 0 for the padding before each sample, 1 for all else.
Value* without_first_pads(Builder& b, Value* ids, std::int64_t pad) {
  Value* words = b.cast(b("Not", {b("Equal", {ids, b.int32(pad)})}), search::kInt32);
  Value* before = b("CumSum", {words, b.scalar(b.ints({1}))});
  return b("Min", {before, b.int32(1)});
}

search::Start start_of(Builder& b, Upgrade& n, const Beams& s, std::int64_t model) {
  Value *const ids = s.input(kIds), *const mask = s.input(kMask);
  if (model == kGpt)
    return search::gpt_start(b, n, repeated(b, s, ids), mask ? repeated(b, s, mask) : nullptr,
                             s.pad);
  search::EncoderInputs inputs{.data = ids};
  const std::int64_t first = n.attr_int("decoder_start_token_id");
  if (model == kWhisper) inputs.tokens = s.input(kDecoderIds);
  if (!inputs.tokens) {
    n.require(first >= 0, "attribute \"decoder_start_token_id\"", "is left out");
    const std::int32_t token = static_cast<std::int32_t>(first);
    inputs.tokens = b.filled(Tensor::of<std::int32_t>(ElemType::int32, {1}, std::span(&token, 1)),
                             {s.batch, b.ints({1})});
  }
  if (model == kT5) {
    inputs.mask = mask ? mask : without_first_pads(b, ids, s.pad);
  }
  return search::encoder_start(b, n, inputs, [&](Value* x) { return repeated(b, s, x); });
}

void search_beams(Upgrade& n) {
  const std::int64_t model = n.attr_int("model_type");
  n.require(model == kGpt || model == kT5 || model == kWhisper, "attribute \"model_type\"", "is {}",
            model);
  Builder b(n);
  const Beams s = read(n, b);
  search::Start start = start_of(b, n, s, model);
  start.prompt.own = first_state(b, s);
  const auto chosen = [&](Builder& body, const State& state, Value* logits, bool first) {
    return choose(body, s, state, logits, first);
  };
  const search::Search run{n, chosen,
                           model == kGpt ? search::gpt_advance : search::encoder_advance};
  finish(b, s, search::run(run, start, s.most), start.prompt.sequences);
}

void refuse_outputs_from(Upgrade& n, std::size_t first) {
  for (std::size_t i = first; i < n.node().outputs.size(); ++i)
    if (n.has_output(i)) n.unsupported(fmt::format("output {}", i), "is not computed");
  n.mutable_node().outputs.resize(std::min(n.node().outputs.size(), first));
}

void upgrade_whisper(Upgrade& n) {
  refuse_outputs_from(n, kCrossQk);
  search_beams(n);
}

constexpr Op rows[] = {
    contrib({
        .name = "BeamSearch",
        .inputs = "input_ids:F max_length:int32? min_length:int32? num_beams:int32? "
                  "num_return_sequences:int32? length_penalty:T? repetition_penalty:T? "
                  "vocab_mask:int32? prefix_vocab_mask:int32? attention_mask:int32? "
                  "decoder_input_ids:int32? logits_processor:int32?",
        .outputs = "sequences:int32 sequences_scores:U? scores:U?",
        .types = "F: float int32 float16; T: float float16; U: float float16",
        .attributes = "decoder:graph! eos_token_id:int! pad_token_id:int! init_decoder:graph "
                      "encoder:graph decoder_start_token_id:int=-1 model_type:int=0 "
                      "no_repeat_ngram_size:int=0 early_stopping:int=0 vocab_size:int=-1",
        .limits = "timestamps; decoders with shared buffers",
        .upgrade = search_beams,
    }),
    contrib({
        .name = "WhisperBeamSearch",
        .inputs = "input_ids:F max_length:int32? min_length:int32? num_beams:int32? "
                  "num_return_sequences:int32? length_penalty:T? repetition_penalty:T? "
                  "vocab_mask:int32? prefix_vocab_mask:int32? attention_mask:int32? "
                  "decoder_input_ids:int32? logits_processor:int32? cross_qk_layer_head:int32? "
                  "extra_decoding_ids:int32? temperature:T?",
        .outputs = "sequences:int32 sequences_scores:U? scores:U? cross_qk:U? non_speech_probs:U?",
        .types = "F: float int32 float16; T: float float16; U: float float16",
        .attributes = "decoder:graph! eos_token_id:int! pad_token_id:int! encoder:graph "
                      "init_decoder:graph decoder_start_token_id:int=-1 model_type:int=2 "
                      "no_repeat_ngram_size:int=0 early_stopping:int=0 vocab_size:int=-1 "
                      "beginning_timestamp_token_id:int=-1 decoder_output_cross_qk:int=0 "
                      "no_speech_token_id:int=-1 no_timestamps_token_id:int=-1 "
                      "start_of_lm_token_id:int=-1 transcribe_token_id:int=-1 "
                      "translate_token_id:int=-1",
        .limits = "timestamps; decoders with shared buffers; cross_qk; non_speech_probs",
        .upgrade = upgrade_whisper,
    }),
};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::beam_search

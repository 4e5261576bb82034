// The compiler's own operators of a beam search: BeamStep chooses the next tokens, EndBeams ends
// the search. Between them a Loop carries the best sequences that ended.
#include "compiler/kernels/control_flow_calls.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"

namespace onnxc::ops::beam_step {
namespace {

// Inputs of both. The best sequences that ended are three inputs and the last three outputs.
enum : std::size_t { kScores, kSequences, kNorm, kTokens, kEndedScores, kProgress };

bool knows_ranks(const Infer& n) {
  for (std::size_t i = 0; i < n.input_count(); ++i)
    if (!n.has_rank(i)) return false;
  return n.rank(kSequences) == 2 && n.rank(kTokens) == 3;
}

void check_ended(Infer& n) {
  const Shape &tokens = n.shape(kTokens), &sequences = n.shape(kSequences);
  n.same(sequences[0], tokens[0] * tokens[1], "sequences");
  n.at_most(sequences[1], tokens[2], "length of the sequences");
  n.same(n.shape(kScores)[0], sequences[0], "scores");
}

void infer_ended(Infer& n, std::size_t first) {
  for (std::size_t i = 0; i < 3; ++i) n.output(first + i, n.input(kTokens + i));
}

void infer_step(Infer& n) {
  n.output(0, ElemType::int32, std::nullopt);
  n.output(1, ElemType::int64, std::nullopt);
  n.output(2, ElemType::float32, std::nullopt);
  infer_ended(n, 3);
  if (!knows_ranks(n)) return;
  check_ended(n);
  n.at_least(n.shape(kScores)[1], 2, "vocabulary");
  const Dim& rows = n.shape(kSequences)[0];
  n.output(0, ElemType::int32, Shape{rows, 1});
  n.output(1, ElemType::int64, Shape{rows});
  n.output(2, ElemType::float32, Shape{rows});
}

void infer_end(Infer& n) {
  infer_ended(n, 0);
  if (knows_ranks(n)) check_ended(n);
}

void lower_step(Lower& n) {
  const Shape &tokens = n.shape(kTokens), &sequences = n.shape(kSequences);
  Call call = n.call("beam_step", BeamStepShape<Dim>{tokens[0], tokens[1], n.shape(kScores)[1],
                                                     sequences[1], tokens[2], n.attr_int("end"),
                                                     n.attr_int("pad"), n.attr_int("early") != 0});
  call.in({kScores, kSequences, kNorm});
  call.begin_struct("EarlierEndedBeams").in({kTokens, kEndedScores, kProgress}).end_struct();
  call.begin_struct("NextBeams").out({0, 1, 2}).end_struct();
  call.begin_struct("EndedBeams").out({3, 4, 5}).end_struct();
  const Dim candidates = tokens[0] * tokens[1] * 2;
  call.begin_struct("BeamCandidates").write(n.scratch(ElemType::float32, candidates, "best"));
  call.write(n.scratch(ElemType::int64, candidates, "at")).end_struct();
  for (std::size_t i = 0; i < 3; ++i) call.may_share(kTokens + i, 3 + i);
}

void lower_end(Lower& n) {
  const Shape &tokens = n.shape(kTokens), &sequences = n.shape(kSequences);
  Call call = n.call("end_beams", EndBeamsShape<Dim>{tokens[0], tokens[1], sequences[1], tokens[2],
                                                     n.attr_int("pad")});
  call.in({kScores, kSequences, kNorm});
  call.begin_struct("EarlierEndedBeams").in({kTokens, kEndedScores, kProgress}).end_struct();
  call.begin_struct("EndedBeams").out({0, 1, 2}).end_struct();
  for (std::size_t i = 0; i < 3; ++i) call.may_share(kTokens + i, i);
}

constexpr std::string_view kInputs =
    "scores:float sequences:int32 norm:float tokens:int32 ended_scores:float progress:int32";

constexpr Op rows[] = {
    internal({
        .name = "BeamStep",
        .inputs = kInputs,
        .outputs = "next:int32 parents:int64 sums:float tokens:int32 ended_scores:float "
                   "progress:int32",
        .attributes = "end:int! pad:int! early:int!",
        .infer = infer_step,
        .lower = lower_step,
    }),
    internal({
        .name = "EndBeams",
        .inputs = kInputs,
        .outputs = "tokens:int32 ended_scores:float progress:int32",
        .attributes = "pad:int!",
        .infer = infer_end,
        .lower = lower_end,
    }),
};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::beam_step

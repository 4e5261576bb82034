// beam_search.hpp - keeps the best sequences of a beam search: those that ended, and the beams.
#pragma once

#include <cstdint>

#include "runtime_min/types.hpp"

namespace onnxc {

// The best sequences that ended, best first. tokens: [batch, beams, capacity], filled up with
// `pad`. scores: [batch, beams]. progress: [batch, 2]: how many sequences ended, and whether the
// search is over.
struct EndedBeams {
  std::int32_t* tokens;
  float* scores;
  std::int32_t* progress;
};

// The same before a step. Any of it may be a constant.
struct EarlierEndedBeams {
  const std::int32_t* tokens;
  const float* scores;
  const std::int32_t* progress;
};

// The candidates for the next tokens, [batch, 2 * beams]: their scores, and their positions in the
// scores of all tokens of all beams of their sample.
struct BeamCandidates {
  float* scores;
  std::int64_t* at;
};

// What a step decides for each beam, [batch * beams]: the next token, the beam that it continues,
// and the sum of its scores.
struct NextBeams {
  std::int32_t* tokens;
  std::int64_t* parents;
  float* scores;
};

// Each result begins as a copy of what was there before.
template <class S, class A, class B>
void copy_ended(S s, const A& before, const B& after) {
  const Index rows = s.batch * s.beams;
  if (after.tokens != before.tokens)
    for (Index i = 0; i < rows * s.capacity; ++i) after.tokens[i] = before.tokens[i];
  if (after.scores != before.scores)
    for (Index i = 0; i < rows; ++i) after.scores[i] = before.scores[i];
  if (after.progress != before.progress)
    for (Index i = 0; i < s.batch * 2; ++i) after.progress[i] = before.progress[i];
}

// Adds a sequence of s.length tokens to those of sample b, unless there are as many better ones.
template <class S, class E>
void add_ended(S s, const E& ended, Index b, const std::int32_t* sequence, float score) {
  float* const scores = ended.scores + b * s.beams;
  std::int32_t* const tokens = ended.tokens + b * s.beams * s.capacity;
  Index at = static_cast<Index>(ended.progress[b * 2]);
  if (at < s.beams)
    ended.progress[b * 2] = static_cast<std::int32_t>(at + 1);
  else if (!(score > scores[--at]))
    return;
  for (; at > 0 && score > scores[at - 1]; --at) {
    scores[at] = scores[at - 1];
    for (Index i = 0; i < s.capacity; ++i)
      tokens[at * s.capacity + i] = tokens[(at - 1) * s.capacity + i];
  }
  scores[at] = score;
  for (Index i = 0; i < s.capacity; ++i)
    tokens[at * s.capacity + i] = i < s.length ? sequence[i] : static_cast<std::int32_t>(s.pad);
}

// The `count` largest of at least as many scores, best first; of equal ones the earlier.
inline void best_candidates(const float* x, Index n, Index count, float* scores, std::int64_t* at) {
  Index used = 0;
  for (Index i = 0; i < n; ++i) {
    if (used == count && !(x[i] > scores[used - 1])) continue;
    Index k = used < count ? used++ : used - 1;
    for (; k > 0 && x[i] > scores[k - 1]; --k) {
      scores[k] = scores[k - 1];
      at[k] = at[k - 1];
    }
    scores[k] = x[i];
    at[k] = static_cast<std::int64_t>(i);
  }
}

// Distributes the candidates of sample b: those that end, at most one for each beam, and those that
// the beams take.
template <class S, class E>
void take_candidates(S s, Index b, const std::int32_t* sequences, float norm,
                     const BeamCandidates& best, const E& ended, const NextBeams& next) {
  Index taken = 0;
  for (Index j = 0; j < 2 * s.beams && taken < s.beams; ++j) {
    const Index at = static_cast<Index>(best.at[b * 2 * s.beams + j]);
    const float score = best.scores[b * 2 * s.beams + j];
    const Index parent = b * s.beams + at / s.vocabulary;
    if (at % s.vocabulary == s.end) {
      if (j < s.beams) add_ended(s, ended, b, sequences + parent * s.length, score / norm);
      continue;
    }
    const Index row = b * s.beams + taken++;
    next.tokens[row] = static_cast<std::int32_t>(at % s.vocabulary);
    next.parents[row] = static_cast<std::int64_t>(parent);
    next.scores[row] = score;
  }
}

// Whether a beam of sample b may still end better than the worst sequence that ended. The
// definition takes 2 * beams candidates from position b * beams on, not from the sample's own: for
// all samples but the first these are those of earlier samples, too.
template <class S, class E>
bool may_improve(S s, Index b, float norm, const BeamCandidates& best, const E& ended) {
  float most = best.scores[b * s.beams];
  if (best.scores[(b + 1) * s.beams] > most) most = best.scores[(b + 1) * s.beams];
  return ended.scores[(b + 1) * s.beams - 1] < most / norm;
}

// One step. scores: [batch * beams, vocabulary], the sums with this step's token. sequences: [batch
// * beams, length]. norm: [1], what the scores of sequences of this length are divided by.
// s: batch, beams, vocabulary (at least 2), length, capacity, end, pad, early.
template <class S, class A, class B>
void beam_step(S s, const float* scores, const std::int32_t* sequences, const float* norm, A before,
               NextBeams next, B ended, BeamCandidates best) {
  copy_ended(s, before, ended);
  const Index all = s.beams * s.vocabulary, kept = 2 * s.beams;
  for (Index b = 0; b < s.batch; ++b)
    best_candidates(scores + b * all, all, kept, best.scores + b * kept, best.at + b * kept);
  for (Index b = 0; b < s.batch; ++b) {
    if (ended.progress[b * 2 + 1] != 0) {
      for (Index row = b * s.beams; row < (b + 1) * s.beams; ++row) {
        next.tokens[row] = static_cast<std::int32_t>(s.pad);
        next.parents[row] = 0;
        next.scores[row] = 0;
      }
      continue;
    }
    take_candidates(s, b, sequences, *norm, best, ended, next);
    if (ended.progress[b * 2] < s.beams) continue;
    if (s.early || !may_improve(s, b, *norm, best, ended)) ended.progress[b * 2 + 1] = 1;
  }
}

// The end: the beams count as ended, where the search is not over yet. scores: [batch * beams].
// s: batch, beams, length, capacity, pad.
template <class S, class A, class B>
void end_beams(S s, const float* scores, const std::int32_t* sequences, const float* norm, A before,
               B ended) {
  copy_ended(s, before, ended);
  for (Index b = 0; b < s.batch; ++b)
    for (Index row = b * s.beams; row < (b + 1) * s.beams; ++row)
      if (ended.progress[b * 2 + 1] == 0)
        add_ended(s, ended, b, sequences + row * s.length, scores[row] / *norm);
}

}  // namespace onnxc

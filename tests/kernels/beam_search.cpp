// beam_search.cpp - beam_step and end_beams against sorted lists.
#include "templates/control_flow/beam_search.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "compiler/kernels/control_flow_calls.hpp"

using namespace onnxc;

namespace {

using Tokens = std::vector<std::int32_t>;

struct Hypothesis {
  float score;
  Tokens tokens;
};

// All results of a step, in the kernel's memory.
struct Memory {
  Memory(Index batch, Index beams, Index capacity)
      : tokens(static_cast<std::size_t>(batch * beams * capacity)),
        progress(static_cast<std::size_t>(batch * 2)),
        next(static_cast<std::size_t>(batch * beams)),
        scores(next.size()),
        sums(next.size()),
        best(next.size() * 2),
        parents(next.size()),
        at(best.size()) {}

  EndedBeams ended() { return {tokens.data(), scores.data(), progress.data()}; }

  Tokens tokens, progress, next;
  std::vector<float> scores, sums, best;
  std::vector<std::int64_t> parents, at;
};

struct Candidate {
  float score;
  Index at;
};

// The candidates of sample b, best first.
std::vector<Candidate> sorted(const std::vector<float>& scores, Index b, Index count) {
  std::vector<Candidate> all;
  for (Index i = 0; i < count; ++i)
    all.push_back({scores[static_cast<std::size_t>(b * count + i)], i});
  std::stable_sort(all.begin(), all.end(),
                   [](const Candidate& x, const Candidate& y) { return x.score > y.score; });
  return all;
}

}  // namespace

TEST_CASE("beam_step: candidates end, or go on", "[beam_search]") {
  constexpr Index kBatch = 3, kBeams = 3, kWords = 5, kLength = 2, kCapacity = 4, kEnd = 2,
                  kPad = 9;
  const BeamStepShape<Index> s{kBatch, kBeams, kWords, kLength, kCapacity, kEnd, kPad, false};
  const Tokens sequences = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18};
  const float norm = 2;
  for (unsigned seed = 1; seed < 40; ++seed) {
    unsigned state = seed;
    std::vector<float> scores(static_cast<std::size_t>(kBatch * kBeams * kWords));
    for (float& v : scores)
      v = -static_cast<float>((state = state * 1103515245u + 12345u) >> 16 & 15u);
    Memory before(kBatch, kBeams, kCapacity), m(kBatch, kBeams, kCapacity);
    before.progress[4] = kBeams;
    before.progress[5] = 1;  // the last sample is done
    beam_step(s, scores.data(), sequences.data(), &norm, before.ended(),
              NextBeams{m.next.data(), m.parents.data(), m.sums.data()}, m.ended(),
              BeamCandidates{m.best.data(), m.at.data()});
    for (Index b = 0; b + 1 < kBatch; ++b) {
      std::vector<Hypothesis> ended;
      std::size_t row = static_cast<std::size_t>(b * kBeams);
      const auto all = sorted(scores, b, kBeams * kWords);
      for (Index j = 0; j < 2 * kBeams && row < static_cast<std::size_t>((b + 1) * kBeams); ++j) {
        const auto [score, at] = all[static_cast<std::size_t>(j)];
        const Index parent = b * kBeams + at / kWords;
        if (at % kWords != kEnd) {
          CHECK(m.next[row] == at % kWords);
          CHECK(m.parents[row] == parent);
          CHECK(m.sums[row++] == score);
        } else if (j < kBeams) {
          const auto first = sequences.begin() + parent * kLength;
          Tokens tokens(first, first + kLength);
          tokens.resize(kCapacity, static_cast<std::int32_t>(kPad));
          ended.push_back({score / norm, tokens});
        }
      }
      CHECK(m.progress[static_cast<std::size_t>(b * 2)] == static_cast<std::int32_t>(ended.size()));
      for (std::size_t i = 0; i < ended.size(); ++i) {
        const std::size_t at = static_cast<std::size_t>(b * kBeams) + i;
        CHECK(m.scores[at] == ended[i].score);
        const auto first = m.tokens.begin() + static_cast<std::ptrdiff_t>(at) * kCapacity;
        CHECK(Tokens(first, first + kCapacity) == ended[i].tokens);
      }
    }
    CHECK(Tokens(m.next.end() - kBeams, m.next.end()) == Tokens(kBeams, kPad));
    CHECK(m.progress[5] == 1);
  }
}

TEST_CASE("beam_step: the search is over when no beam can improve", "[beam_search]") {
  const float scores[] = {-1, -4, -2, -5}, norm = 1;  // the end token leads, then token 0
  const std::int32_t sequence[] = {7};
  for (bool early : {false, true})
    for (float kept : {-0.5f, -9.0f}) {
      const BeamStepShape<Index> s{1, 1, 4, 1, 2, 2, 0, early};
      Memory before(1, 1, 2), m(1, 1, 2);
      before.progress = {1, 0};
      before.scores[0] = kept;
      beam_step(s, scores, sequence, &norm, before.ended(),
                NextBeams{m.next.data(), m.parents.data(), m.sums.data()}, m.ended(),
                BeamCandidates{m.best.data(), m.at.data()});
      CHECK(m.next[0] == 0);
      CHECK(m.progress[1] == (early || kept > -1 ? 1 : 0));
    }
}

TEST_CASE("end_beams: beams join the best sequences in place", "[beam_search]") {
  const EndBeamsShape<Index> s{2, 2, 2, 3, 0};
  const float sums[] = {-2, -8, -1, -1}, norm = 2;
  const Tokens sequences = {1, 2, 3, 4, 5, 6, 7, 8};
  Memory m(2, 2, 3);
  m.progress = {1, 0, 2, 1};
  m.scores = {-3, 0, -5, -6};
  m.tokens = {9, 9, 9, 0, 0, 0, 8, 8, 8, 7, 7, 7};
  end_beams(s, sums, sequences.data(), &norm, m.ended(), m.ended());
  CHECK(m.scores == std::vector<float>{-1, -3, -5, -6});
  CHECK(m.tokens == Tokens{1, 2, 0, 9, 9, 9, 8, 8, 8, 7, 7, 7});
}

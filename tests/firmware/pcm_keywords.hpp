// pcm_keywords.hpp - a stream of sound into a keyword spotter, 20 ms a call, on the host and on the
// board alike: two tones that come and go, and noise, all in integers.
#pragma once

#include <cstdint>

#include "kws.h"

namespace stream {

constexpr int kCalls = 60;
constexpr int kNew = KWS_INPUT_PCM_SIZE, kOld = KWS_INPUT_PAST_SIZE;
constexpr int kRows = KWS_INPUT_PAST_ROWS_SIZE, kRow = KWS_OUTPUT_ROW_SIZE;
constexpr int kScores = KWS_OUTPUT_SCORES_SIZE;

alignas(KWS_ARENA_ALIGN) inline std::uint8_t arena[KWS_ARENA_BYTES + 1];
inline std::int16_t pcm[kNew];
// The states, which each call updates in place.
inline std::int16_t past[kOld];
inline std::int8_t past_rows[kRows];
inline std::int8_t scores[kScores];
inline float row[kRow];

constexpr int kStateBytes =
    static_cast<int>(sizeof past + sizeof past_rows + sizeof pcm + sizeof scores + sizeof row);

// A sine from a parabola; a turn is 2^16.
inline std::int32_t wave(std::uint32_t phase, std::int32_t loudness) {
  const std::int32_t t = static_cast<std::int32_t>(phase & 0x7fff) - 0x4000;
  const std::int32_t arch = (0x10000000 - t * t) >> 13;  // up to 2^15
  return ((phase & 0x8000) != 0 ? -arch : arch) * loudness >> 15;
}

inline void next_samples(int call) {
  static std::uint32_t low = 0, high = 0, noise = 1;
  for (std::int16_t& sample : pcm) {
    low += 1802;                                           // 440 Hz
    high += 5000 + 40 * static_cast<std::uint32_t>(call);  // rises from 1.2 kHz
    noise = noise * 1664525u + 1013904223u;
    std::int32_t v = static_cast<std::int32_t>(noise >> 22) - 512;
    if (call % 20 >= 5) v += wave(low, 6000);
    if (call % 16 >= 8) v += wave(high, 4000);
    sample = static_cast<std::int16_t>(v);
  }
}

inline bool run() {
  kws_inputs in = {};
  in.pcm = pcm;
  in.past = past;
  in.past_rows = past_rows;
  kws_outputs out = {};
  out.scores = scores;
  out.row = row;
  out.next = past;
  out.next_rows = past_rows;
  return kws_run(&in, &out, arena) == KWS_OK;
}

}  // namespace stream

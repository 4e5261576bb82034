// pow.cpp - powers: pairs of floats, and the special ones of Annex F of the C standard.
#include <algorithm>
#include <cstdio>

#include "tests/accuracy/measure.hpp"

namespace accuracy {
namespace {

struct Power {
  float x, y, result;
};
const float kInf = INFINITY, kNan = NAN;
// Annex F of the C standard.
const Power kPowers[] = {
    {0, -3, kInf},        {-0.0f, -3, -kInf},  {0, -2, kInf},     {-0.0f, -2.5f, kInf},
    {-0.0f, -kInf, kInf}, {0, -kInf, kInf},    {0, 3, 0},         {-0.0f, 3, -0.0f},
    {-0.0f, 2, 0},        {-0.0f, 2.5f, 0},    {-1, kInf, 1},     {-1, -kInf, 1},
    {1, kNan, 1},         {1, kInf, 1},        {kNan, 0, 1},      {kNan, -0.0f, 1},
    {-kInf, 0, 1},        {-2, 0.5f, kNan},    {-2, -1.5f, kNan}, {0.5f, -kInf, kInf},
    {-0.5f, -kInf, kInf}, {2, -kInf, 0},       {-2, -kInf, 0},    {0.5f, kInf, 0},
    {-0.5f, kInf, 0},     {2, kInf, kInf},     {-2, kInf, kInf},  {-kInf, -3, -0.0f},
    {-kInf, -2, 0},       {-kInf, -0.5f, 0},   {-kInf, 3, -kInf}, {-kInf, 2, kInf},
    {-kInf, 0.5f, kInf},  {kInf, -1, 0},       {kInf, 1, kInf},   {-8, 1 / 3.0f, kNan},
    {kNan, 1, kNan},      {kNan, 2, kNan},     {2, kNan, kNan},   {-2, 3, -8},
    {-0.0f, 1, -0.0f},    {-kInf, kInf, kInf}, {-kInf, -kInf, 0}, {0, kInf, 0},
    {-kInf, kNan, kNan},
};

constexpr double kPowBound = 2.0;

// Half of the pairs anywhere, half where the result is a number.
void pow_inputs(Sequence& words, float* x, float* y) {
  for (std::size_t i = 0; i < kChunk; ++i) {
    x[i] = bit_copy<float>(static_cast<std::uint32_t>(words.next() >> 32));
    y[i] = bit_copy<float>(static_cast<std::uint32_t>(words.next() >> 32));
    if (i % 2 == 0) continue;
    x[i] = static_cast<float>(std::exp2(words.unit() * 40 - 20));
    y[i] = static_cast<float>((words.unit() * 280 - 151) / std::log2(static_cast<double>(x[i])));
    if (i % 8 == 1) x[i] = -x[i], y[i] = std::nearbyint(y[i]);
  }
}

}  // namespace

bool measure_pow(const std::vector<Forms>& forms, std::uint64_t samples) {
  bool good = true;
  std::vector<float> x(kChunk, 1.0f), y(kChunk, 1.0f), got(kChunk);
  std::vector<double> want(kChunk);
  for (const Forms& target : forms) {
    Worst worst[2];
    float exponent[2] = {0, 0};
    Sequence words;
    for (std::uint64_t done = 0; done < samples; done += kChunk) {
      pow_inputs(words, x.data(), y.data());
      if (done == 0)
        for (std::size_t i = 0; i < sizeof kPowers / sizeof kPowers[0]; ++i)
          x[i] = kPowers[i].x, y[i] = kPowers[i].y;
      for (std::size_t i = 0; i < kChunk; ++i)
        want[i] = std::pow(static_cast<double>(x[i]), static_cast<double>(y[i]));
      for (int form = 0; form < 2; ++form) {
        (form == 0 ? target.pow : target.pow_vector)(x.data(), y.data(), got.data(), kChunk);
        Worst block;
        measure(x.data(), got.data(), want.data(), kChunk, block);
        if (block.error > worst[form].error)
          for (std::size_t i = 0; i < kChunk; ++i)
            if (bit_copy<double>(error_bits(got[i], want[i])) == block.error) exponent[form] = y[i];
        merge(worst[form], block);
        if (done != 0) continue;
        for (std::size_t i = 0; i < sizeof kPowers / sizeof kPowers[0]; ++i) {
          if (same_bits(got[i], kPowers[i].result)) continue;
          std::fprintf(stderr, "pow(%g, %g) is %g\n", static_cast<double>(x[i]),
                       static_cast<double>(y[i]), static_cast<double>(got[i]));
          good = false;
        }
      }
    }
    good = good && std::max(worst[0].error, worst[1].error) <= kPowBound;
    std::printf("| pow | %.1f | %s | %llu pairs | %s | %.9g, %.9g | %s | %.9g, %.9g |\n", kPowBound,
                target.target, static_cast<unsigned long long>(samples),
                number(worst[0].error).c_str(), static_cast<double>(worst[0].at),
                static_cast<double>(exponent[0]), number(worst[1].error).c_str(),
                static_cast<double>(worst[1].at), static_cast<double>(exponent[1]));
    std::fflush(stdout);
  }
  return good;
}

}  // namespace accuracy

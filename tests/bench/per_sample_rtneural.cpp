// One backend of RTNeural, for per_sample.py: the net of the header that the command line includes.
#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#if RTNEURAL_USE_XSIMD
#include <xsimd/xsimd.hpp>
#if XSIMD_VERSION_MAJOR < 9
namespace xsimd {
template <class V>
auto reduce_add(const V& v) {
  return hadd(v);
}
}  // namespace xsimd
#endif
#endif

#include "RTNeural/RTNeural.h"

namespace {

using Floats = std::vector<float>;

Floats nested1(const float*& at, std::array<int, 1> n) {
  at += n[0];
  return Floats(at - n[0], at);
}

std::vector<Floats> nested2(const float*& at, std::array<int, 2> n) {
  std::vector<Floats> rows;
  for (int i = 0; i < n[0]; ++i) rows.push_back(nested1(at, {n[1]}));
  return rows;
}

std::vector<std::vector<Floats>> nested3(const float*& at, std::array<int, 3> n) {
  std::vector<std::vector<Floats>> planes;
  for (int i = 0; i < n[0]; ++i) planes.push_back(nested2(at, {n[1], n[2]}));
  return planes;
}

RTNEURAL_NAMESPACE::ModelT<float, INPUTS, 1, LAYERS> model;

}  // namespace

#define JOIN(a, b) a##b
#define NAMED(a, b) JOIN(a, b)

void NAMED(start_, BACKEND)(const float* at) {
  SET_WEIGHTS
  model.reset();
}

void NAMED(run_, BACKEND)(const float* x, int count, float* y) {
  alignas(64) float in[INPUTS + 16];
  for (int i = 0; i < count; ++i) {
    std::copy_n(x + i, INPUTS, in);
    y[i] = model.forward(in);
  }
}

// random_calls.hpp - shapes passed to the kernels of this folder; the members are documented with
// the kernels.
#pragma once

#include "compiler/kernels/shape_struct.hpp"

namespace onnxc {

template <class N>
struct DropoutShape {
  N count;
  float seed;
  N stream;
};

template <class N>
struct RandomDraw {
  float seed;
  N stream;
};

template <class N>
struct RandomUniformShape {
  RandomDraw<N> draw;
  N count;
  float low, high;
};

template <class N>
struct RandomNormalShape {
  RandomDraw<N> draw;
  N count;
  float mean, scale;
};

template <class N>
struct BernoulliShape {
  RandomDraw<N> draw;
  N count;
};

template <class N>
struct MultinomialShape {
  RandomDraw<N> draw;
  N batch, classes, samples;
};

}  // namespace onnxc

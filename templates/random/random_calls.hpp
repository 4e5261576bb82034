// random_calls.hpp - shapes that kernels of this folder are given; what the members mean stands
// with the kernels.
#pragma once

#include "templates/shape_struct.hpp"

namespace onnxc {

template <class N>
struct RandomStream {
  float seed;
  N stream;
  N draw;  // number of the training step, which gives other values; 0 outside of training
};

template <class N>
struct DropoutShape {
  N count;
  RandomStream<N> random;
};

template <class N>
struct RandomUniformShape {
  RandomStream<N> random;
  N count;
  float low, high;
};

template <class N>
struct RandomNormalShape {
  RandomStream<N> random;
  N count;
  float mean, scale;
};

template <class N>
struct BernoulliShape {
  RandomStream<N> random;
  N count;
};

template <class N>
struct MultinomialShape {
  RandomStream<N> random;
  N batch, classes, samples;
};

}  // namespace onnxc

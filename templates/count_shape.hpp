// count_shape.hpp - the shape of kernels that go over a number of elements.
#pragma once

namespace onnxc {

template <class N>
struct CountShape {
  N count;
};

}  // namespace onnxc

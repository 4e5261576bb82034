// fixed_extent.hpp - members of a shape struct as constants, where the struct fixes them at compile time.
#pragma once

#include <type_traits>

#include "runtime_min/types.hpp"

namespace onnxc {

// fixed_m<S>() is S::m if that is static, otherwise -1; likewise for the other members.
#define ONNXC_FIXED_EXTENT(name)                                         \
  template <class S>                                                     \
  constexpr Index fixed_##name() {                                       \
    if constexpr (std::is_member_object_pointer_v<decltype(&S::name)>) { \
      return -1;                                                         \
    } else {                                                             \
      return S::name;                                                    \
    }                                                                    \
  }

ONNXC_FIXED_EXTENT(m)
ONNXC_FIXED_EXTENT(n)
ONNXC_FIXED_EXTENT(batch)
ONNXC_FIXED_EXTENT(in_h)
ONNXC_FIXED_EXTENT(in_w)
ONNXC_FIXED_EXTENT(in_c)
ONNXC_FIXED_EXTENT(out_h)
ONNXC_FIXED_EXTENT(out_w)
ONNXC_FIXED_EXTENT(out_c)
ONNXC_FIXED_EXTENT(k_h)
ONNXC_FIXED_EXTENT(k_w)
ONNXC_FIXED_EXTENT(stride_h)
ONNXC_FIXED_EXTENT(stride_w)
ONNXC_FIXED_EXTENT(dilation_h)
ONNXC_FIXED_EXTENT(dilation_w)
ONNXC_FIXED_EXTENT(pad_top)
ONNXC_FIXED_EXTENT(pad_left)
ONNXC_FIXED_EXTENT(group)
ONNXC_FIXED_EXTENT(groups)
ONNXC_FIXED_EXTENT(x_group)
ONNXC_FIXED_EXTENT(x_shuffle)
ONNXC_FIXED_EXTENT(y_c)
ONNXC_FIXED_EXTENT(y_group)
ONNXC_FIXED_EXTENT(y_shuffle)
ONNXC_FIXED_EXTENT(q_length)
ONNXC_FIXED_EXTENT(v_width)

#undef ONNXC_FIXED_EXTENT

}  // namespace onnxc

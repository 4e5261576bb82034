// recurrent_shape.hpp - the members that shapes of recurrent units have in common.
#pragma once

#include "runtime_min/types.hpp"

namespace onnxc {

struct UnitShape {
  Index steps, batch, hidden, block, direction;
  bool reverse;
  Index x_step, x_batch, y_step, y_batch, y_direction, h_batch, h_direction;
  float clip;
  Index f_kind;
  float f_alpha, f_beta;
  Index g_kind;
  float g_alpha, g_beta;
  Index h_kind;
  float h_alpha, h_beta;
  bool input_forget;
};

}  // namespace onnxc

// recurrent_calls.hpp - shapes passed to the kernels of this folder; the members are documented
// with the kernels.
#pragma once

#include "compiler/kernels/shape_struct.hpp"

namespace onnxc {

template <class N>
struct RecurrentInputShape {
  N rows, inputs, columns, recurrent_bias, direction;
};

template <class N>
struct PackRecurrentShape {
  N inputs, columns, first;
};

template <class N>
struct RecurrentBiasShape {
  N columns, recurrent_bias, direction;
};

template <class N>
struct RecurrentSizes {
  N steps, batch, hidden, block, direction;
  bool reverse;
  N x_step, x_batch, y_step, y_batch, y_direction;
  N h_batch, h_direction;
  float clip;
};

template <class N>
struct ActivationF {
  N f_kind;
  float f_alpha, f_beta;
};

template <class N>
struct ActivationG {
  N g_kind;
  float g_alpha, g_beta;
};

template <class N>
struct ActivationH {
  N h_kind;
  float h_alpha, h_beta;
};

template <class N>
struct RnnShape {
  RecurrentSizes<N> sizes;
  ActivationF<N> f;
};

template <class N>
struct GruShape {
  RecurrentSizes<N> sizes;
  ActivationF<N> f;
  ActivationG<N> g;
  bool reset_after;
};

template <class N>
struct LstmShape {
  RecurrentSizes<N> sizes;
  ActivationF<N> f;
  ActivationG<N> g;
  ActivationH<N> h;
  bool input_forget;
};

inline constexpr const char* kLstmInt8 = "lstm_int8";

template <class N>
struct LstmInt8Shape {
  LstmShape<N> unit;
  N residual_words;  // of the state's weights, see conv2d_int8_nhwc.hpp
};

// byte_weights.hpp
inline constexpr const char *kLstmByteWeights = "lstm_byte_weights",
                            *kGruByteWeights = "gru_byte_weights";

// Of quantised operands: the scale and the zero point. scale_step: from one scale of the weights to
// the next, 0 or 1.
template <class N>
struct ByteOperands {
  N inputs, x_zero, h_zero, w_scale_step, r_scale_step;
  float x_scale, h_scale;
};

template <class N>
struct LstmByteWeightsShape {
  LstmShape<N> unit;
  ByteOperands<N> operands;
};

template <class N>
struct GruByteWeightsShape {
  GruShape<N> unit;
  ByteOperands<N> operands;
};

// by_steps.hpp
template <class N>
struct GruByStepsShape {
  GruShape<N> unit;
  N inputs, together;
};

template <class N>
struct LstmByStepsShape {
  LstmShape<N> unit;
  N inputs, together;
};

// The kernels of one sequence.
template <class N>
struct RnnOfOneShape {
  RnnShape<N> unit;
  N inputs;
};

template <class N>
struct GruOfOneShape {
  GruShape<N> unit;
  N inputs;
};

template <class N>
struct LstmOfOneShape {
  LstmShape<N> unit;
  N inputs;
};

}  // namespace onnxc

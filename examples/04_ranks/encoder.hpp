// encoder.hpp - the programs of the four devices as one function.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "encoder.h"
#include "encoder_0.h"
#include "encoder_1.h"
#include "encoder_2.h"
#include "encoder_3.h"

constexpr int kDevices = 4;
using Tensor = std::vector<float>;

inline Tensor example_input() {
  Tensor x(ENCODER_INPUT_X_SIZE);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(0.7f * static_cast<float>(i));
  return x;
}

// What one device alone computes.
inline Tensor whole_encoder(const Tensor& x) {
  alignas(ENCODER_ARENA_ALIGN) static unsigned char arena[ENCODER_ARENA_BYTES];
  Tensor y(ENCODER_OUTPUT_Y_SIZE);
  const encoder_inputs in = {x.data()};
  const encoder_outputs out = {y.data()};
  return encoder_run(&in, &out, arena) == ENCODER_OK ? y : Tensor{};
}

// The part of a device. `connect` makes its <name>_devices; `seconds` are none of this function's
// business: the functions in it give up by themselves. Returns the status: 0 is success.
#define ENCODER_PART(N)                                                                       \
  template <class Connect>                                                                    \
  int encoder_part_##N(const Tensor& x, Tensor& y, Connect connect) {                         \
    alignas(ENCODER_##N##_ARENA_ALIGN) static unsigned char arena[ENCODER_##N##_ARENA_BYTES]; \
    const auto devices = connect(encoder_##N##_devices{});                                    \
    encoder_##N##_inputs in = {};                                                             \
    encoder_##N##_outputs out = {};                                                           \
    in.x = x.data();                                                                          \
    in.devices_ = &devices;                                                                   \
    out.y = y.data();                                                                         \
    const encoder_##N##_status met = encoder_##N##_meet(&devices);                            \
    return met != ENCODER_##N##_OK ? static_cast<int>(met)                                    \
                                   : static_cast<int>(encoder_##N##_run(&in, &out, arena));   \
  }
ENCODER_PART(0)
ENCODER_PART(1)
ENCODER_PART(2)
ENCODER_PART(3)
#undef ENCODER_PART

template <class Connect>
int encoder_part(int device, const Tensor& x, Tensor& y, Connect connect) {
  switch (device) {
    case 0:
      return encoder_part_0(x, y, connect);
    case 1:
      return encoder_part_1(x, y, connect);
    case 2:
      return encoder_part_2(x, y, connect);
    default:
      return encoder_part_3(x, y, connect);
  }
}

// Compares with one device, and prints what was sent. A block has two all-reduces; in each, a
// device sends its part of the sum to the others, and what they sum up for it comes back.
inline bool report(const Tensor& x, const Tensor& y, std::size_t bytes_sent, std::size_t messages) {
  const Tensor want = whole_encoder(x);
  float most = 0, difference = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    most = std::fmax(most, std::fabs(want[i]));
    difference = std::fmax(difference, std::fabs(want[i] - y[i]));
  }
  const std::size_t formula = 2 * 2 * (kDevices - 1) * y.size() * sizeof(float) / kDevices;
  const std::size_t plans = (kDevices - 1) * sizeof(std::uint64_t);
  std::printf(
      "%d devices: %g from one device, of values up to %g; %zu bytes sent in %zu messages\n",
      kDevices, static_cast<double>(difference), static_cast<double>(most), bytes_sent - plans,
      messages - (kDevices - 1));
  return !want.empty() && difference <= 1e-6f * most && bytes_sent == formula + plans;
}

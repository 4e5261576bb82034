// cmsis_nn.cpp - prints the time of one layer of CMSIS-NN on a bare Cortex-M in QEMU, as
// instruction_counts.cpp does. layer.h, which cmsis_nn.py writes, has the sizes.
#include <arm_nnfunctions.h>

#include <cstdint>

#include "layer.h"
#include "tests/firmware/startup.hpp"
#include "tests/firmware/systick.hpp"

namespace {

constexpr cmsis_nn_dims kIn = {1, IN_H, IN_W, IN_C}, kOut = {1, OUT_H, OUT_W, OUT_C},
                        kBias = {1, 1, 1, OUT_C};
constexpr cmsis_nn_activation kAll = {-128, 127};
std::int8_t x[IN_H * IN_W * IN_C], w[WEIGHTS + 16], y[OUT_H * OUT_W * OUT_C];
std::int32_t bias[OUT_C], multiplier[OUT_C], shift[OUT_C], sums[OUT_C];
std::int8_t buffer[96 * 1024];

arm_cmsis_nn_status run() {
  [[maybe_unused]] const cmsis_nn_per_channel_quant_params scales = {multiplier, shift};
#if defined(DEPTHWISE)
  const cmsis_nn_dims filter = {1, K_H, K_W, OUT_C};
  const cmsis_nn_dw_conv_params params = {128,    -128, 1, {STRIDE, STRIDE}, {PAD_W, PAD_H},
                                          {1, 1}, kAll};
  const cmsis_nn_context context = {buffer, sizeof buffer};
  return arm_depthwise_conv_wrapper_s8(&context, &params, &scales, &kIn, x, &filter, w, &kBias,
                                       bias, &kOut, y);
#elif defined(AVERAGE) || defined(MAX)
  const cmsis_nn_dims window = {1, K_H, K_W, 1};
  const cmsis_nn_pool_params params = {{STRIDE, STRIDE}, {PAD_W, PAD_H}, kAll};
  const cmsis_nn_context context = {buffer, sizeof buffer};
#if defined(AVERAGE)
  return arm_avgpool_s8(&context, &params, &kIn, x, &window, &kOut, y);
#else
  return arm_max_pool_s8(&context, &params, &kIn, x, &window, &kOut, y);
#endif
#elif defined(DENSE)
  const cmsis_nn_dims filter = {IN_C, 1, 1, OUT_C};
  const cmsis_nn_fc_params params = {128, 0, -128, kAll};
  const cmsis_nn_per_tensor_quant_params scale = {multiplier[0], shift[0]};
  // On Helium, sums of the weights, which are constants.
  const cmsis_nn_context context = {sums, sizeof sums};
  return arm_fully_connected_s8(&context, &params, &scale, &kIn, x, &filter, w, &kBias, bias, &kOut,
                                y);
#else
  const cmsis_nn_dims filter = {OUT_C, K_H, K_W, IN_C};
  const cmsis_nn_conv_params params = {128, -128, {STRIDE, STRIDE}, {PAD_W, PAD_H}, {1, 1}, kAll};
  const cmsis_nn_context context = {buffer, sizeof buffer};
  return arm_convolve_wrapper_s8(&context, &params, &scales, &kIn, x, &filter, w, &kBias, bias,
                                 &kOut, y);
#endif
}

}  // namespace

extern "C" int app_main() {
  std::uint32_t noise = 1;
  const auto fill = [&](std::int8_t* p, int count) {
    for (int i = 0; i < count; ++i)
      p[i] = static_cast<std::int8_t>((noise = noise * 1664525u + 1013904223u) >> 24);
  };
  fill(x, sizeof x);
  fill(w, WEIGHTS);
  for (int i = 0; i < OUT_C; ++i) multiplier[i] = 1 << 30, shift[i] = -8;
  systick::start();
  print_number("", systick::of_two_million_instructions());
  const std::uint32_t before = systick::ticks();
  if (run() != ARM_CMSIS_NN_SUCCESS) return 1;
  print_number("", systick::since(before));
  return 0;
}

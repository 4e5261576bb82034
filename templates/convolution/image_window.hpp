// image_window.hpp - the members of a shape struct that state a window over channels-last images.
#pragma once

#include "templates/member_list.hpp"

namespace onnxc {

// An output reads k_h x k_w taps, dilation_h and dilation_w pixels apart; neighbouring outputs
// start stride_h and stride_w pixels apart, the first of them pad_top and pad_left pixels before
// the image. Pads at the end follow from out_h and out_w.
template <class N>
struct ImageWindow {
  N in_h = 1, out_h = 1, k_h = 1, stride_h = 1, dilation_h = 1, pad_top = 0;
  N in_w = 1, out_w = 1, k_w = 1, stride_w = 1, dilation_w = 1, pad_left = 0;

  using Members =
      MemberList<&ImageWindow::in_h, &ImageWindow::out_h, &ImageWindow::k_h, &ImageWindow::stride_h,
                 &ImageWindow::dilation_h, &ImageWindow::pad_top, &ImageWindow::in_w,
                 &ImageWindow::out_w, &ImageWindow::k_w, &ImageWindow::stride_w,
                 &ImageWindow::dilation_w, &ImageWindow::pad_left>;
};

}  // namespace onnxc

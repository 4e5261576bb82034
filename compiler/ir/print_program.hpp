// The text form of a Program, for dumps, golden files and bug reports. Nothing reads it back.
//
//   program arena 576 align 64 {
//     %x: float32[1,3,8,8] input
//     %conv_w: float32[4,27] constant
//     %conv: float32[1,4,6,6] arena 0..576
//     size N = %x axis 0 in 0..64
//
//     call conv2d_nhwc<4,8>{in_h=8, in_w=8} read %x, read %conv_w, write %conv  # conv1: Conv
//     loop %i below %trips while %go {
//       check N == 4
//     }
//   }
//
// A buffer whose name another one has gets its number after a dot: %conv.7.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/program.hpp"

namespace onnxc {

std::string print(const Program& program);

// What print() calls the buffers.
std::vector<std::string> buffer_names(const Program& program);

}  // namespace onnxc

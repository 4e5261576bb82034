// What a model may ask for. The command line can raise or lower each limit.
#pragma once

#include <cstdint>

namespace onnxc {

// Real models stay far below the defaults.
struct Limits {
  int depth = 32;                  // of subgraphs in subgraphs, and of types in types
  int calls = 100;                 // of functions that call functions
  std::int64_t nodes = 1'000'000;  // with those of functions, once for each call
  int rank = 64;
  std::int64_t tensor_bytes = std::int64_t{64} << 30;  // of one tensor, at run time
  // Of all constants that onnxc computes, beyond 64 times those in the model.
  std::int64_t constant_bytes = std::int64_t{1} << 30;
  // Memory of onnxc itself, and the seconds of processor time it may take; a 0 lifts them.
  std::int64_t memory = std::int64_t{16} << 30;
  int seconds = 3600;
};

}  // namespace onnxc

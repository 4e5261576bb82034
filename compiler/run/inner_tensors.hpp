// The tensors inside a model, as its generated code computes them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/ir/tensor.hpp"
#include "compiler/onnx/read/data.hpp"
#include "compiler/support/options.hpp"

namespace onnxc {

struct InnerTensor {
  std::string name;       // in the model
  std::string nodes;      // that make it: "conv1 (Conv)"
  std::string op;         // "Conv"
  std::string line;       // of the generated code, "model.cpp:120: conv2d_nhwc<...>(...)"
  std::size_t round = 0;  // in a loop a tensor is made several times
  Tensor value;
};

// How DequantizeLinear reads the tensor of the key.
struct Quantization {
  double scale = 1;
  std::int64_t zero_point = 0;
};

struct InnerRun {
  std::vector<InnerTensor> tensors;  // in the order of the run; graph inputs first
  std::map<std::string, Quantization> quantized;
};

// Runs a model with all probes on the values of its inputs, by name; inputs without a value get
// random numbers, the same in every run. Throws FatalError: usage for values that do not fit,
// bad_model for a model that is refused, after its diagnostics were printed.
InnerRun run_with_probes(CompileOptions options, const std::map<std::string, Tensor>& values);

// Tensors by name: a file .npz, whose members are not compressed, or a folder of tensors in files
// .pb. Throws FatalError(io).
std::map<std::string, Tensor> read_named_tensors(const std::string& path);

}  // namespace onnxc

// Adds training_info to a model: a loss, its gradient, an optimiser, and bindings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/support/diagnostics.hpp"

namespace onnxc {

struct PrepareOptions {
  std::string model;
  std::string output;               // the file to write
  bool moves = false;               // it is in another folder than the model
  std::string loss = "mse";         // mse, l1, bce, softmax_cross_entropy
  std::string optimizer = "sgd";    // sgd, momentum, adam, adamw, adagrad
  std::optional<double> rate;       // none: a customary one
  bool rate_is_input = false;       // the caller gives it to every step
  std::optional<double> decay;      // of adamw; none: 0.01
  std::vector<std::string> trains;  // patterns of initialisers, as in a shell
  std::string result;               // the graph output that the loss is about; "": the first one
};

struct Prepared {
  std::string bytes;  // of the new model; empty after errors
  std::vector<std::string> variables;
  std::int64_t parameters = 0;  // elements in them
  double rate = 0;
};

// The model with one training_info of ONNX 1.8 in the place of those that it has. Its algorithm has
// an input for the labels, an output for the loss, and the state of the optimiser as initialisers.
//   adamw: Adam on weights of which learning rate * decay has been taken away before, as far as
//     they have two dimensions or more
//   mse, l1: mean of squares or absolute values of output - labels
//   bce: binary cross-entropy; the output is a Sigmoid, or the value that one is applied to
//   softmax_cross_entropy: labels are int64 classes; the output is a Softmax or LogSoftmax, or the
//   value that one is applied to, with the classes on axis 1
Prepared prepare_training(const PrepareOptions& options, Diagnostics& diagnostics);

}  // namespace onnxc

// Tensor by tensor: a model against values recorded elsewhere, and two versions of a model.
#pragma once

#include <string>

#include "compiler/run/compare.hpp"
#include "compiler/support/options.hpp"

namespace onnxc {

struct LayersOptions {
  std::string reference;  // .npz, or a folder of .pb
  std::string data;       // a test data set for the inputs; "": of the reference, or of the model
  bool json = false;
  Tolerance tolerance;
  CompileOptions compile;
};

// Compares every tensor that the model makes with the one of its name in the reference, in the
// order of the run, and prints the first that differs. Exit code: ok or mismatch.
int verify_layers(const LayersOptions& options);

struct CompareOptions {
  std::string other;  // the model that is compared with compile.model
  std::string data;   // a test data set; "": of the model, or numbers that follow from the names
  bool json = false;
  CompileOptions compile;
};

// Compares two versions of a model, such as float and quantised, tensor by tensor: the error of
// each, the worst first. Integers are compared as what they stand for.
int compare_models(const CompareOptions& options);

}  // namespace onnxc

// Counts of a model file as written: nothing is inlined, upgraded or removed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/onnx/read/model_file.hpp"

namespace onnxc {

struct OperatorUse {
  std::string domain, name;
  int version = 0;           // since_version meant, 0 when unknown
  std::int64_t count = 0;    // nodes, subgraphs and function bodies included
  bool is_function = false;  // defined by the model
  bool supported = false;
  std::string note;  // reason if unsupported, or the limits
};

// What the model says of the meaning of an input or output.
struct Denotation {
  std::string port, type;
  std::vector<std::string> dims;  // empty where none is said
};

struct ModelStats {
  bool readable = false;  // false: the file is no model, and the rest is empty
  std::size_t file_bytes = 0;
  std::vector<OperatorUse> operators;  // sorted by domain, name
  std::int64_t model_version = 0;
  std::string graph_name, graph_doc;
  std::vector<Denotation> denotations;  // of inputs, then outputs that have any
  std::int64_t nodes = 0, subgraphs = 0, functions = 0, training_graphs = 0;
  std::int64_t initializers = 0;     // dense and sparse
  std::int64_t parameters = 0;       // elements in them
  std::int64_t parameter_bytes = 0;  // as ONNX stores them
};

ModelStats model_stats_of(const ModelFile& file);

}  // namespace onnxc

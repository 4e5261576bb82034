// ModelProto.training_info: state variables, initialization graphs and algorithms.
#pragma once

#include "compiler/onnx/read/graph_reader.hpp"

namespace onnxc::pb {
class ModelProto;
}

namespace onnxc::reader {

// Reads the training part of a model in three steps: the state variables, which must be known
// before the inference graph is read; then, after it, the graphs of each training_info.
class TrainingReader {
 public:
  TrainingReader(const pb::ModelProto& proto, Model& model, Context& context)
      : proto_(proto), model_(model), context_(context) {}

  // Checks the bindings and finds the variables. `main`: scope of the inference graph.
  void find_state(Scope& main);
  // Fills Model::entries and Model::state.
  void read_entries(const Scope& main, GraphReader& reader);

 private:
  using StateNames = std::map<std::string_view, int>;

  void check_info(int info);
  void check_binding(int info, bool update);
  void check_key(int info, const std::string& key, const std::string& where);
  void add_variable(const std::string& key, Scope& main, StateNames& own);
  std::string place(int info) const;
  void read_initialization(int info, const Scope& main, GraphReader& reader);
  void read_algorithm(int info, const Scope& main, GraphReader& reader);
  void finish_entry(TrainingEntry& entry, const Scope& frame,
                    const std::vector<std::string_view>& outputs, bool keeps_outputs);
  int variable(int info, std::string_view key) const;

  const pb::ModelProto& proto_;
  Model& model_;
  Context& context_;
  StateNames shared_;            // in the inference graph
  std::vector<StateNames> own_;  // in the algorithm of each training_info
};

}  // namespace onnxc::reader

// Ensembles of decision trees: read from a node's attributes and validated.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/ops/ml/classes.hpp"

namespace onnxc::ops {

struct Forest {
  // The outcomes with which a branch takes its true child; see kOutcome... in the header.
  using Outcomes = std::uint8_t;

  struct Vote {
    std::int64_t target = 0;
    double weight = 0;
  };
  struct Node {
    bool leaf = false;
    Outcomes outcomes = 0;
    std::int64_t feature = 0;
    double split = 0;  // for a membership test, the index of its set
    std::size_t true_child = 0, false_child = 0;
    std::size_t first_vote = 0, votes = 0;  // of a leaf
  };

  std::vector<Node> nodes;
  std::vector<std::size_t> roots;  // in the order of the model
  std::vector<Vote> votes;
  std::vector<std::vector<double>> sets;
  std::vector<double> base;  // one for each target, or none
  std::int64_t targets = 0;
  std::int64_t used = 0;       // number of features that branches read
  std::int64_t aggregate = 0;  // kTreesSum ...
  ElemType arithmetic = ElemType::float32;
};

// Read TreeEnsembleRegressor and TreeEnsembleClassifier, whose votes are in attributes that begin
// with `prefix`, and TreeEnsemble. They fail for invalid trees.
Forest read_forest(const NodeView& n, const std::string& prefix, std::int64_t targets);
Forest read_forest_of_leaves(const NodeView& n);

// The rows of input 0; checks that it has the features that the forest reads.
Dim forest_rows(const NodeView& n, const Forest& forest);

}  // namespace onnxc::ops

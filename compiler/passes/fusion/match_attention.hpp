// The matcher of attention: softmax between two products.
#pragma once

#include <optional>
#include <vector>

#include "compiler/ir/graph.hpp"

namespace onnxc::passes {

// softmax(scores) * v, where the scores are q * k, scaled, and then masked.
// q [.., rows, width], k [.., width, keys], v [.., keys, v_width].
struct AttentionMatch {
  struct Factor {
    Value* number = nullptr;  // a constant of one element
    bool divides = false;
  };

  Value *q = nullptr, *k = nullptr, *v = nullptr;
  Value *mask = nullptr, *bool_mask = nullptr;  // added; in its place scores are `masked_value`
  float masked_value = 0;
  bool mask_keeps = true;           // the scores where bool_mask is true, not where it is false
  const Value* scores = nullptr;    // the product of queries and keys
  const Value* masked = nullptr;    // the scores in the shape that the masks see
  const Value* measured = nullptr;  // value whose Shape a matched Reshape reads
  std::vector<Factor> factors;      // from the last to the first
  bool nan_is_zero = false;         // among the weights
  bool reshaped = false;            // scores or weights
  std::vector<const Node*> nodes;   // from the last to the first
};

// `product` is the second product. All values between the products are tensors of float32 or
// float64 that nothing else reads.
std::optional<AttentionMatch> match_attention(const Node& product);

// Whether the value is a tensor of float32 or float64, of rank 2 or more.
bool is_matrix(const Value* v);

}  // namespace onnxc::passes

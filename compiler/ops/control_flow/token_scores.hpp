// What changes the scores of the next tokens before a search chooses among them.
#pragma once

#include "compiler/ops/control_flow/token_search.hpp"

namespace onnxc::ops::search {

// A null value changes nothing.
struct Processors {
  Value *penalty = nullptr, *allowed = nullptr, *first_allowed = nullptr, *least = nullptr;
  Value* temperature = nullptr;
  Value* presence = nullptr;  // what is taken off
  std::int64_t end = 0, grams = 0;
};

// scores: [rows, vocabulary], sequences: [rows, length], both so far.
Value* processed(Builder& b, const Processors& p, Value* scores, Value* sequences, bool first);

}  // namespace onnxc::ops::search

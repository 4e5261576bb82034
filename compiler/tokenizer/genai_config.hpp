// What genai_config.json says about a decoder and the search for tokens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace onnxc::ops {

struct GenaiConfig {
  std::string model;               // the decoder's file, without extension
  std::vector<std::int64_t> ends;  // tokens that end a text
  std::int64_t vocabulary = 0, layers = 0, heads = 0, head_size = 0, context = 0;
  std::string input_ids, attention_mask, position_ids, logits;
  std::string past_key, past_value, present_key, present_value;  // with %d
  bool sample = false;
  std::int64_t top_k = 0;
  double top_p = 1, temperature = 1, repetition_penalty = 1;
};

// Throws TokenizerError.
GenaiConfig read_genai_config(std::string_view json);

}  // namespace onnxc::ops

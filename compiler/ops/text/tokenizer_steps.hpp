// Normalizers and pre-tokenizers of tokenizer.json.
#pragma once

#include <string_view>

#include "compiler/ops/text/tokenizer_json.hpp"

namespace onnxc::ops {

// The words of GPT-2's pre-tokenizer.
inline constexpr std::string_view kGpt2Words =
    "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";

void add_normalizer(const TokenizerField& field, Tokenizer& t);
void add_pre_tokenizer(const TokenizerField& field, Tokenizer& t);

}  // namespace onnxc::ops

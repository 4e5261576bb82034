// Normalizers and pre-tokenizers of tokenizer.json.
#pragma once

#include "compiler/tokenizer/json_fields.hpp"

namespace onnxc::ops {

void add_normalizer(const TokenizerField& field, Tokenizer& t);
void add_pre_tokenizer(const TokenizerField& field, Tokenizer& t);

}  // namespace onnxc::ops

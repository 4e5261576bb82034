// Models and decoders of tokenizer.json.
#pragma once

#include "compiler/tokenizer/json_fields.hpp"

namespace onnxc::ops {

// After the pre-tokenizers, which say whether pieces are made of bytes.
void read_model(const TokenizerField& field, Tokenizer& t);

// A piece of the vocabulary by its number; "" where there is none.
using PieceNames = std::vector<std::string>;
void read_decoder(const TokenizerField& field, const PieceNames& names, Tokenizer& t);

}  // namespace onnxc::ops

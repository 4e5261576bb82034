// Searches whose decoder has an encoder, like those of T5 and Whisper.
#pragma once

#include <functional>

#include "compiler/ops/control_flow/token_search.hpp"

namespace onnxc::ops::search {

// What the encoder reads, one row a sample.
struct EncoderInputs {
  Value* data = nullptr;    // tokens or features
  Value* mask = nullptr;    // T5: 0 where the decoder does not look; null: there is no such input
  Value* tokens = nullptr;  // the first of each sequence
};

// The encoder runs once, one row a sample. It gives the caches of the decoder's attention to it,
// and often the first call of the decoder, too; else the decoder runs a first time on `tokens`.
// repeat: one row a sample -> one row a sequence.
// Source: ONNX Runtime, BeamSearch with model_type 1 and 2.
Start encoder_start(Builder& b, Upgrade& n, const EncoderInputs& inputs,
                    const std::function<Value*(Value*)>& repeat);
State encoder_advance(Builder& b, const State& before, const std::vector<Value*>& results,
                      const Choice& choice);

}  // namespace onnxc::ops::search

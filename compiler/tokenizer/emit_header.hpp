// The interface of a tokenizer.
#pragma once

#include <string>

#include "compiler/emit/emit.hpp"

namespace onnxc {

// What callers have to know: bytes of scratch memory for a text, tokens that it has at most.
struct TokenizerMemory {
  std::int64_t factor = 0, constant = 0;
  std::int64_t tokens_factor = 1, tokens_constant = 0;
  std::size_t vocabulary = 0, longest_piece = 0;
};

// `more`: declarations after those of the tokenizer.
std::string tokenizer_header(const EmitContext& c, const TokenizerMemory& memory,
                             const std::string& sha256, const std::string& more);

// The functions of the header, for the source.
std::string tokenizer_functions(const Identifier& name);

}  // namespace onnxc

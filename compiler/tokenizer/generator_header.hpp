// The loop that generates text with a compiled decoder and a tokenizer, as a header.
#pragma once

#include <string>

#include "compiler/interface/sanitized_text.hpp"
#include "compiler/tokenizer/genai_config.hpp"

namespace onnxc {

// BASE_generate.hpp for the tokenizer `name` in `stem`.h; `model`: stem of the decoder's files.
std::string generator_header(const ops::GenaiConfig& config, const Identifier& name,
                             const FileStem& stem, const std::string& model);

// What the tokenizer's header and source have in addition: the choice of a token.
std::string generator_declarations(const ops::GenaiConfig& config, const Identifier& name);
std::string generator_functions(const Identifier& name);

}  // namespace onnxc

// A tokenizer as C++.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/support/options.hpp"
#include "compiler/support/write_files.hpp"
#include "compiler/tokenizer/genai_config.hpp"
#include "compiler/tokenizer/tokenizer.hpp"

namespace onnxc {

// What the files are called, and what is in them.
struct TokenizerNames {
  std::string base;                       // path without extension
  std::string prefix;                     // of functions; "": from the base
  std::string sha256;                     // of tokenizer.json
  std::optional<ops::GenaiConfig> genai;  // also the loop that generates text
  std::string model;                      // the decoder's files; "": as genai says
  WeightsMode weights = WeightsMode::automatic;
};

struct TokenizerFiles {
  std::vector<GeneratedFile> files;
  std::int64_t table_bytes = 0;
  std::string prefix;
};

// Header, source, the runtime's header and, for large tables, their own source.
TokenizerFiles tokenizer_files(const ops::Tokenizer& tokenizer, const TokenizerNames& names);

}  // namespace onnxc

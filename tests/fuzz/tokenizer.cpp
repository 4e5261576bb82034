// Bytes as tokenizer.json and as genai_config.json: what is accepted becomes C++.
#include <optional>
#include <string_view>

#include "compiler/tokenizer/emit_files.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace onnxc;
  const std::string_view json(reinterpret_cast<const char*>(data), size);
  std::optional<ops::GenaiConfig> genai;
  try {
    genai = ops::read_genai_config(json);
  } catch (const ops::TokenizerError&) {
  }
  try {
    tokenizer_files(ops::read_tokenizer(json), {"t", "t", "", genai, "m", WeightsMode::automatic});
  } catch (const ops::TokenizerError&) {
  }
  return 0;
}

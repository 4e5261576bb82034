// The `tokenizer` command: a tokenizer as C++.
#include <fmt/format.h>

#include <filesystem>
#include <span>

#include "compiler/cli/commands.hpp"
#include "compiler/support/hash.hpp"
#include "compiler/support/limits.hpp"
#include "compiler/support/read_file.hpp"
#include "compiler/support/terminal.hpp"
#include "compiler/support/write_files.hpp"
#include "compiler/tokenizer/emit_files.hpp"

namespace onnxc {
int run_tokenizer(const TokenizerOptions& o) {
  const std::string json = read_file(o.file);
  std::string file = o.file;  // that is read
  TokenizerFiles out;
  try {
    const ProcessLimits limits{Limits()};
    const ops::Tokenizer tokenizer = ops::read_tokenizer(json);
    std::optional<ops::GenaiConfig> genai;
    if (!o.genai.empty()) {
      file = o.genai;
      genai = ops::read_genai_config(read_file(o.genai));
    }
    out = tokenizer_files(
        tokenizer, {o.output_base, o.name, sha256(std::as_bytes(std::span(json))), genai, o.model});
  } catch (const ops::TokenizerError& e) {
    terminal::print(stderr, "{}: error[unsupported-tokenizer]: {}\n", file, e.what());
    return exit_code::bad_model;
  }
  write_files(out.files);
  if (!o.quiet)
    terminal::print(stderr, "{} -> {}.cpp | {}_encode, {}_decode | {} bytes of tables\n",
                    std::filesystem::path(o.file).filename().string(), o.output_base, out.prefix,
                    out.prefix, out.table_bytes);
  return exit_code::ok;
}

}  // namespace onnxc

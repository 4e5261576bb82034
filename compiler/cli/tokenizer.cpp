// The `tokenizer` command: a tokenizer as C++.
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>

#include "compiler/cli/commands.hpp"
#include "compiler/support/hash.hpp"
#include "compiler/support/limits.hpp"
#include "compiler/support/terminal.hpp"
#include "compiler/support/write_files.hpp"
#include "compiler/tokenizer/emit_files.hpp"

namespace onnxc {
namespace {

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file || !text)
    throw FatalError(exit_code::io, fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  return std::move(text).str();
}

}  // namespace

int run_tokenizer(const TokenizerOptions& o) {
  const std::string json = contents(o.file);
  std::string file = o.file;  // that is read
  TokenizerFiles out;
  try {
    const ProcessLimits limits{Limits()};
    const ops::Tokenizer tokenizer = ops::read_tokenizer(json);
    std::optional<ops::GenaiConfig> genai;
    if (!o.genai.empty()) {
      file = o.genai;
      genai = ops::read_genai_config(contents(o.genai));
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

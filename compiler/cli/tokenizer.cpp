// The `tokenizer` command: a tokenizer as C++.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>

#include "compiler/cli/commands.hpp"
#include "compiler/emit/tokenizer_files.hpp"
#include "compiler/support/limits.hpp"
#include "compiler/support/sha.hpp"
#include "compiler/support/terminal.hpp"
#include "compiler/support/write_files.hpp"

namespace onnxc {
namespace {

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file || !text) throw FatalError(exit_code::io, fmt::format("cannot read '{}'", path));
  return std::move(text).str();
}

}  // namespace

int run_tokenizer(const TokenizerOptions& o) {
  const std::string json = contents(o.file);
  TokenizerFiles out;
  try {
    const ProcessLimits limits{Limits()};
    out = tokenizer_files(ops::read_tokenizer(json),
                          {o.output_base, o.name, sha256(std::as_bytes(std::span(json)))});
  } catch (const ops::TokenizerError& e) {
    terminal::print(stderr, "{}: error[unsupported-tokenizer]: {}\n", o.file, e.what());
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

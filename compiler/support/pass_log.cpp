// Dumps and times of passes.
#include "compiler/support/pass_log.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "compiler/support/diagnostics.hpp"
#include "compiler/support/terminal.hpp"

namespace onnxc {

bool PassLog::skips_optional() const {
  const int until = options_.passes_until;
  return options_.plain || (until >= 0 && number_ >= static_cast<std::size_t>(until));
}

void PassLog::print_time(const char* pass) const {
  const std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - begin_;
  terminal::print(stderr, "pass {:2} {:24} {:9.2f} ms\n", number_, pass, ms.count());
}

void PassLog::write(const char* pass, const char* extension, const std::string& text) const {
  const std::string& folder = options_.dump_ir;
  std::error_code ignored;  // errors appear on opening
  std::filesystem::create_directories(folder, ignored);
  const std::string path = fmt::format("{}/{:02}_{}.{}", folder, number_, pass, extension);
  std::FILE* out = std::fopen(path.c_str(), "w");
  if (!out) throw FatalError(exit_code::io, path + ": cannot write");
  terminal::print_document(out, text);
  const bool written = !std::ferror(out);
  if (std::fclose(out) != 0 || !written) throw FatalError(exit_code::io, path + ": cannot write");
}

}  // namespace onnxc

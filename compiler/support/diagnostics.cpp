// Collecting and printing diagnostics.
#include "compiler/support/diagnostics.hpp"

#include <fmt/format.h>

#include "compiler/support/terminal.hpp"

namespace onnxc {

void Diagnostics::error(std::string id, std::string where, std::string message) {
  list_.push_back({Severity::error, std::move(id), std::move(where), std::move(message)});
  ++errors_;
}

void Diagnostics::warning(std::string id, std::string where, std::string message) {
  list_.push_back({Severity::warning, std::move(id), std::move(where), std::move(message)});
}

void Diagnostics::note(std::string id, std::string where, std::string message) {
  list_.push_back({Severity::note, std::move(id), std::move(where), std::move(message)});
}

std::string Diagnostics::format(const Diagnostic& d, const std::string& model) const {
  static constexpr const char* kNames[] = {"note", "warning", "error"};
  std::string s = fmt::format("{}: {}[{}]: ", model, kNames[static_cast<int>(d.severity)], d.id);
  return s + d.where + (d.where.empty() ? "" : ": ") + d.message;
}

void Diagnostics::print(const std::string& model, std::FILE* out) const {
  for (const Diagnostic& d : list_) terminal::print(out, "{}\n", format(d, model));
}

}  // namespace onnxc

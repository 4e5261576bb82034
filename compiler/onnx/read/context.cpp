// Counts errors by kind and limits the reports of each.
#include "compiler/onnx/read/context.hpp"

#include <fmt/format.h>

namespace onnxc::reader {
namespace {

constexpr std::size_t kReportsPerKind = 100;

}  // namespace

void Context::error(const std::string& id, const Location& where, const std::string& message) {
  if (++reported_[id] <= kReportsPerKind) diagnostics.error(id, where, message);
}

void Context::error(const OpError& e, const Location& where) {
  const std::string separator = where.empty() || e.field.empty() ? "" : ", ";
  error(e.id, where + separator + e.field, e.what());
}

void Context::finish() {
  for (const auto& [id, count] : reported_)
    if (count > kReportsPerKind)
      diagnostics.error(id, "", fmt::format("{} more", count - kReportsPerKind));
}

}  // namespace onnxc::reader

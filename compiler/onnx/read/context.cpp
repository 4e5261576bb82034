// Makes symbols of dimension names, and of dimensions without a name. Counts errors by kind and
// limits the reports of each.
#include "compiler/onnx/read/context.hpp"

#include <fmt/format.h>

#include "compiler/ir/size_names.hpp"

namespace onnxc::reader {
namespace {

constexpr std::size_t kReportsPerKind = 100;
constexpr std::size_t kLongest = 200;  // bytes of a name

std::string identifier(const std::string& text) {
  std::string s;
  for (char c : text.substr(0, 60)) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    const bool digit = (c >= '0' && c <= '9') || c == '.';
    if (digit && s.empty()) s += '_';
    s += letter || digit ? c : '_';
  }
  return s.empty() ? "_" : s;
}

// Not in the middle of a character.
std::string beginning(const std::string& text) {
  std::size_t size = kLongest;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80) --size;
  return text.substr(0, size);
}

}  // namespace

Dim SymbolNames::named(const std::string& dim_param) {
  if (dim_param.size() <= kLongest) return Dim::symbol(symbol_of_name(dim_param));
  std::string& name = cut_[dim_param];
  if (name.empty()) name = fmt::format("{}... #{}", beginning(dim_param), cut_.size());
  return Dim::symbol(symbol_of_name(name));
}

// No word, so none of a name.
Dim SymbolNames::anonymous(const std::string& value, std::size_t axis) {
  const std::string stem = fmt::format("{}.{}", identifier(value), axis);
  std::string name = stem;
  for (int n = 2; !taken_.insert(name).second; ++n) name = fmt::format("{}_{}", stem, n);
  return Dim::symbol(name);
}

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

// Makes identifiers of dimension names, each once.
#include "compiler/import/symbols.hpp"

#include <fmt/format.h>

namespace onnxc::reader {
namespace {

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

}  // namespace

std::string SymbolNames::claim(const std::string& wish) {
  std::string name = identifier(wish);
  for (int n = 2; !taken_.insert(name).second; ++n)
    name = fmt::format("{}_{}", identifier(wish), n);
  return name;
}

Dim SymbolNames::named(const std::string& dim_param) {
  const auto it = named_.find(dim_param);
  if (it != named_.end()) return Dim::symbol(it->second);
  return Dim::symbol(named_[dim_param] = claim(dim_param));
}

Dim SymbolNames::anonymous(const std::string& value, std::size_t axis) {
  return Dim::symbol(claim(fmt::format("{}.{}", identifier(value), axis)));
}

}  // namespace onnxc::reader

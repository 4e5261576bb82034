#include "compiler/emit/names.hpp"

#include <algorithm>
#include <array>

namespace onnxc {
namespace {

// Keywords of C23 and C++23, macros of the C library and of common platforms, and the short names
// that generated code itself uses.
constexpr std::array kReserved = {
    "EOF", "I", "INFINITY", "NAN", "NULL", "abs", "alignas", "alignof", "and", "and_eq", "arena",
    "asm", "assert", "at", "atomic_cancel", "atomic_commit", "atomic_noexcept", "auto", "bitand",
    "bitor", "bool", "break", "case", "catch", "channel", "char", "char16_t", "char32_t", "char8_t",
    "class", "co_await", "co_return", "co_yield", "compl", "complex", "concept", "const",
    "const_cast", "consteval", "constexpr", "constinit", "continue", "decltype", "default",
    "delete", "do", "double", "dynamic_cast", "else", "enum", "errno", "explicit", "export",
    "extern", "false", "far", "final", "float", "fn", "for", "friend", "goto", "if", "imaginary",
    "in", "inline", "int", "linux", "long", "main", "max", "memory", "min", "mutable", "namespace",
    "near", "new", "noexcept", "noreturn", "not", "not_eq", "nullptr", "onnxc", "operator", "or",
    "or_eq", "out", "override", "private", "protected", "public", "reflexpr", "register",
    "reinterpret_cast", "requires", "restrict", "return", "run", "short", "signed", "sizeof",
    "small", "static", "static_assert", "static_cast", "status", "std", "stderr", "stdin", "stdout",
    "struct", "switch", "synchronized", "template", "this", "thread_local", "throw", "true", "try",
    "typedef", "typeid", "typename", "typeof", "typeof_unqual", "union", "unix", "unsigned",
    "using", "v", "virtual", "void", "volatile", "wchar_t", "weights", "while", "xor", "xor_eq"};

}  // namespace

std::string identifier_from(std::string_view text) {
  std::string s;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (plain) s += c;
    else if (!s.empty() && s.back() != '_') s += '_';
    if (s.size() >= 48) break;
  }
  while (!s.empty() && s.back() == '_') s.pop_back();
  if (s.empty()) s = "t";
  if (s[0] >= '0' && s[0] <= '9') s = "t" + s;
  return s;
}

std::string pascal_case(std::string_view identifier) {
  std::string s;
  bool start = true;
  for (const char c : identifier) {
    if (c == '_') {
      // Digits on both sides stay apart: conv_1_2 is not conv_12.
      start = true;
      if (!s.empty() && s.back() >= '0' && s.back() <= '9') s += '_';
      continue;
    }
    s += start && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    start = false;
  }
  return s;
}

std::string upper_case(std::string_view identifier) {
  std::string s(identifier);
  for (char& c : s)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return s;
}

bool is_reserved(std::string_view identifier) {
  return std::binary_search(kReserved.begin(), kReserved.end(), identifier);
}

std::string NameScope::unique(std::string_view wanted) {
  std::string name(wanted);
  if (is_reserved(name)) name += "_";
  std::string candidate = name;
  for (int n = 2; !used_.insert(candidate).second; ++n) {
    candidate = name + (name.back() == '_' ? "" : "_") + std::to_string(n);
  }
  return candidate;
}

}  // namespace onnxc

#include "compiler/emit/names.hpp"

#include <algorithm>
#include <array>

namespace onnxc {
namespace {

// Keywords of C23 and C++23, functions and macros of the C library and of common platforms, and the
// short names that generated code itself uses. Sorted.
constexpr std::array kReserved = {
    "EOF", "I", "INFINITY", "NAN", "NULL", "abort", "abs", "acos", "acosf", "acosh", "acoshf",
    "acosl", "alignas", "alignof", "and", "and_eq", "arena", "asin", "asinf", "asinh", "asinhf",
    "asm", "assert", "at", "atan", "atan2", "atan2f", "atanf", "atanh", "atanhf", "atexit",
    "atof", "atoi", "atol", "atomic_cancel", "atomic_commit", "atomic_noexcept", "auto", "bitand",
    "bitor", "bool", "break", "bsearch", "calloc", "case", "catch", "cbrt", "cbrtf", "ceil",
    "ceilf", "channel", "char", "char16_t", "char32_t", "char8_t", "class", "clock", "co_await",
    "co_return", "co_yield", "compl", "complex", "concept", "const", "const_cast", "consteval",
    "constexpr", "constinit", "continue", "copysign", "copysignf", "cos", "cosf", "cosh", "coshf",
    "ctime", "decltype", "default", "delete", "difftime", "div", "do", "double", "double_t",
    "dynamic_cast", "else", "enum", "erf", "erfc", "erff", "errno", "exit", "exp", "exp2",
    "exp2f", "expf", "explicit", "expm1", "expm1f", "export", "extern", "fabs", "fabsf", "false",
    "far", "fclose", "fdim", "feof", "fflush", "fgetc", "fgets", "final", "float", "float_t",
    "floor", "floorf", "fma", "fmaf", "fmax", "fmaxf", "fmin", "fminf", "fmod", "fmodf", "fn",
    "fopen", "for", "fprintf", "fputc", "fputs", "fread", "free", "frexp", "friend", "fseek",
    "ftell", "fwrite", "gamma", "getc", "getchar", "getenv", "gets", "gmtime", "goto", "hypot",
    "hypotf", "if", "imaginary", "in", "index", "inline", "int", "isalnum", "isalpha", "isascii",
    "isdigit", "isfinite", "isinf", "islower", "isnan", "isspace", "isupper", "j0", "j1", "jn",
    "labs", "ldexp", "ldiv", "lgamma", "lgammaf", "linux", "llabs", "lldiv", "llrint", "llround",
    "localtime", "log", "log10", "log10f", "log1p", "log1pf", "log2", "log2f", "logb", "logf",
    "long", "lrint", "lround", "main", "malloc", "max", "memchr", "memcmp", "memcpy", "memmove",
    "memory", "memset", "min", "mktime", "modf", "modff", "mutable", "namespace", "nan", "nanf",
    "near", "nearbyint", "new", "nextafter", "noexcept", "noreturn", "not", "not_eq", "nullptr",
    "onnxc", "operator", "or", "or_eq", "out", "override", "perror", "pow", "powf", "printf",
    "private", "protected", "public", "putc", "putchar", "puts", "qsort", "raise", "rand",
    "random", "read", "realloc", "reflexpr", "register", "reinterpret_cast", "remainder",
    "remove", "remquo", "rename", "requires", "restrict", "return", "rewind", "rindex", "rint",
    "rintf", "round", "roundf", "run", "scalbn", "scanf", "select", "short", "signal", "signbit",
    "signed", "signgam", "sin", "sinf", "sinh", "sinhf", "sizeof", "sleep", "small", "snprintf",
    "sprintf", "sqrt", "sqrtf", "srand", "sscanf", "static", "static_assert", "static_cast",
    "status", "std", "stderr", "stdin", "stdout", "strcat", "strchr", "strcmp", "strcpy",
    "strlen", "strncmp", "strncpy", "strstr", "strtod", "strtol", "struct", "switch",
    "synchronized", "system", "tan", "tanf", "tanh", "tanhf", "template", "tgamma", "this",
    "thread_local", "throw", "time", "tmpfile", "tolower", "toupper", "true", "trunc", "truncf",
    "try", "typedef", "typeid", "typename", "typeof", "typeof_unqual", "ungetc", "union", "unix",
    "unsigned", "using", "v", "vfprintf", "virtual", "void", "volatile", "vprintf", "wchar_t",
    "weights", "while", "write", "xor", "xor_eq", "y0", "y1", "yn"};

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

#include "compiler/emit/names.hpp"

#include <algorithm>
#include <array>

namespace onnxc {
namespace {

// Keywords of C23 and C++23, functions, types and macros of the C library and of common platforms,
// and the short names that generated code itself uses. Sorted.
// clang-format off
constexpr std::array kReserved = {
    "BIG_ENDIAN", "BUFSIZ", "BYTE_ORDER", "CHAR_BIT", "CHAR_MAX", "CHAR_MIN", "DBL_EPSILON",
    "DBL_MAX", "DBL_MIN", "DOMAIN", "EOF", "EXIT_FAILURE", "EXIT_SUCCESS", "FALSE", "FILE",
    "FILENAME_MAX", "FLT_EPSILON", "FLT_MAX", "FLT_MIN", "FP_ILOGB0", "FP_ILOGBNAN",
    "FP_INFINITE", "FP_NAN", "FP_NORMAL", "FP_SUBNORMAL", "FP_ZERO", "HUGE_VAL", "HUGE_VALF",
    "HUGE_VALL", "I", "INFINITY", "INT16_C", "INT16_MAX", "INT16_MIN", "INT32_C", "INT32_MAX",
    "INT32_MIN", "INT64_C", "INT64_MAX", "INT64_MIN", "INT8_C", "INT8_MAX", "INT8_MIN",
    "INTMAX_C", "INTMAX_MAX", "INTMAX_MIN", "INTPTR_MAX", "INTPTR_MIN", "INT_FAST16_MAX",
    "INT_FAST16_MIN", "INT_FAST32_MAX", "INT_FAST32_MIN", "INT_FAST64_MAX", "INT_FAST64_MIN",
    "INT_FAST8_MAX", "INT_FAST8_MIN", "INT_LEAST16_MAX", "INT_LEAST16_MIN", "INT_LEAST32_MAX",
    "INT_LEAST32_MIN", "INT_LEAST64_MAX", "INT_LEAST64_MIN", "INT_LEAST8_MAX", "INT_LEAST8_MIN",
    "INT_MAX", "INT_MIN", "LITTLE_ENDIAN", "LLONG_MAX", "LLONG_MIN", "LONG_MAX", "LONG_MIN",
    "MATH_ERRNO", "MB_CUR_MAX", "M_1_PI", "M_2_PI", "M_2_SQRTPI", "M_E", "M_LN10", "M_LN2",
    "M_LOG10E", "M_LOG2E", "M_PI", "M_PI_2", "M_PI_4", "M_SQRT1_2", "M_SQRT2", "NAN", "NDEBUG",
    "NULL", "OVERFLOW", "PLOSS", "PTRDIFF_MAX", "PTRDIFF_MIN", "RAND_MAX", "SCHAR_MAX",
    "SCHAR_MIN", "SEEK_CUR", "SEEK_END", "SEEK_SET", "SHRT_MAX", "SHRT_MIN", "SING", "SIZE_MAX",
    "TLOSS", "TMP_MAX", "TRUE", "UCHAR_MAX", "UINT16_C", "UINT16_MAX", "UINT32_C", "UINT32_MAX",
    "UINT64_C", "UINT64_MAX", "UINT8_C", "UINT8_MAX", "UINTMAX_C", "UINTMAX_MAX", "UINTPTR_MAX",
    "UINT_FAST16_MAX", "UINT_FAST32_MAX", "UINT_FAST64_MAX", "UINT_FAST8_MAX", "UINT_LEAST16_MAX",
    "UINT_LEAST32_MAX", "UINT_LEAST64_MAX", "UINT_LEAST8_MAX", "UINT_MAX", "ULLONG_MAX",
    "ULONG_MAX", "UNDERFLOW", "USHRT_MAX", "WCHAR_MAX", "WCHAR_MIN", "abort", "abs", "acos",
    "acosf", "acosh", "acoshf", "acosl", "alignas", "alignof", "and", "and_eq", "arena", "asin",
    "asinf", "asinh", "asinhf", "asm", "assert", "at", "atan", "atan2", "atan2f", "atanf",
    "atanh", "atanhf", "atexit", "atof", "atoi", "atol", "atomic_cancel", "atomic_commit",
    "atomic_noexcept", "auto", "bitand", "bitor", "bool", "break", "bsearch", "calloc", "case",
    "catch", "cbrt", "cbrtf", "ceil", "ceilf", "channel", "char", "char16_t", "char32_t",
    "char8_t", "class", "clock", "clock_t", "co_await", "co_return", "co_yield", "compl",
    "complex", "concept", "const", "const_cast", "consteval", "constexpr", "constinit",
    "continue", "copysign", "copysignf", "cos", "cosf", "cosh", "coshf", "ctime", "decltype",
    "default", "delete", "difftime", "div", "div_t", "do", "double", "double_t", "dynamic_cast",
    "else", "enum", "erf", "erfc", "erff", "errno", "exit", "exp", "exp2", "exp2f", "expf",
    "explicit", "expm1", "expm1f", "export", "extern", "fabs", "fabsf", "false", "far", "fclose",
    "fdim", "feof", "fflush", "fgetc", "fgets", "final", "float", "float_t", "floor", "floorf",
    "fma", "fmaf", "fmax", "fmaxf", "fmin", "fminf", "fmod", "fmodf", "fn", "fopen", "for",
    "fpos_t", "fprintf", "fputc", "fputs", "fread", "free", "frexp", "friend", "fseek", "ftell",
    "fwrite", "gamma", "getc", "getchar", "getenv", "gets", "gmtime", "goto", "hypot", "hypotf",
    "if", "imaginary", "in", "index", "inline", "int", "int16_t", "int32_t", "int64_t", "int8_t",
    "int_fast16_t", "int_fast32_t", "int_fast64_t", "int_fast8_t", "int_least16_t",
    "int_least32_t", "int_least64_t", "int_least8_t", "intmax_t", "intptr_t", "isalnum",
    "isalpha", "isascii", "isdigit", "isfinite", "isinf", "islower", "isnan", "isspace",
    "isupper", "j0", "j1", "jn", "labs", "ldexp", "ldiv", "ldiv_t", "lgamma", "lgammaf", "linux",
    "llabs", "lldiv", "lldiv_t", "llrint", "llround", "localtime", "log", "log10", "log10f",
    "log1p", "log1pf", "log2", "log2f", "logb", "logf", "long", "lrint", "lround", "main",
    "malloc", "max", "max_align_t", "memchr", "memcmp", "memcpy", "memmove", "memory", "memset",
    "min", "mktime", "modf", "modff", "mutable", "namespace", "nan", "nanf", "near", "nearbyint",
    "new", "nextafter", "noexcept", "noreturn", "not", "not_eq", "nullptr", "nullptr_t",
    "offsetof", "onnxc", "operator", "or", "or_eq", "out", "override", "perror", "pow", "powf",
    "printf", "private", "protected", "ptrdiff_t", "public", "putc", "putchar", "puts", "qsort",
    "raise", "rand", "random", "read", "realloc", "reflexpr", "register", "reinterpret_cast",
    "remainder", "remove", "remquo", "rename", "requires", "restrict", "return", "rewind",
    "rindex", "rint", "rintf", "round", "roundf", "run", "scalbn", "scanf", "select", "short",
    "signal", "signbit", "signed", "signgam", "sin", "sinf", "sinh", "sinhf", "size_t", "sizeof",
    "sleep", "small", "snprintf", "sprintf", "sqrt", "sqrtf", "srand", "sscanf", "ssize_t",
    "static", "static_assert", "static_cast", "status", "std", "stderr", "stdin", "stdout",
    "strcat", "strchr", "strcmp", "strcpy", "strlen", "strncmp", "strncpy", "strstr", "strtod",
    "strtol", "struct", "switch", "synchronized", "system", "tan", "tanf", "tanh", "tanhf",
    "template", "tgamma", "this", "thread_local", "throw", "time", "time_t", "tmpfile", "tolower",
    "toupper", "true", "trunc", "truncf", "try", "typedef", "typeid", "typename", "typeof",
    "typeof_unqual", "uint16_t", "uint32_t", "uint64_t", "uint8_t", "uint_fast16_t",
    "uint_fast32_t", "uint_fast64_t", "uint_fast8_t", "uint_least16_t", "uint_least32_t",
    "uint_least64_t", "uint_least8_t", "uintmax_t", "uintptr_t", "ungetc", "union", "unix",
    "unsigned", "using", "v", "va_list", "vfprintf", "virtual", "void", "volatile", "vprintf",
    "wchar_t", "weights", "while", "wint_t", "write", "xor", "xor_eq", "y0", "y1", "yn"};
// clang-format on

}  // namespace

std::string identifier_from(std::string_view text) {
  std::string s;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (plain)
      s += c;
    else if (!s.empty() && s.back() != '_')
      s += '_';
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

std::string size_name(const std::string& symbol) {
  if (symbol[0] != '?') return identifier_from(symbol);
  return "n" + (symbol.size() > 2 ? identifier_from(symbol.substr(2)).substr(1) : "1");
}

}  // namespace onnxc

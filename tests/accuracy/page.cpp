// page.cpp - writes and checks docs/ACCURACY.md.
#include <algorithm>
#include <cstdio>
#include <fstream>

#if defined(__GLIBC__)
#include <gnu/libc-version.h>
#endif

#include "tests/accuracy/measure.hpp"

namespace accuracy {
namespace {

const char kHead[] =
    "# Accuracy of the element-wise functions\n\n"
    "Written by `tests/accuracy/measure.sh`; `ctest -R accuracy` checks a sample against the "
    "bounds below.\n\n"
    "Errors are distances from the exact result in units of its last place (ULP); an overflow "
    "counts as 2^128. The exact\n"
    "results come from the double functions of the C library (float32) and from its long double "
    "ones (float64).\n"
    "\"Scalar\" is the function called with a float, \"vector\" with the registers of the target; "
    "\"differ\" counts the inputs\n"
    "for which these two give other bits, which happens where the compiler contracts a product and "
    "a sum in one of them.\n\n"
    "acos, asin, atan, asinh, atanh, sinh, cosh, tan, pow, acosh above 1.5, and sin and cos above "
    "2^20 are those of the C\n"
    "library of the machine that runs the code, lane by lane. The powers two and three are "
    "products. sin and cos are\n"
    "Taylor's series in double where the target has vectors of double, else those of the C "
    "library. All other functions\n"
    "are onnxc's own, in float arithmetic only, and do not depend on the library.\n\n"
    "exp and log are reduced by multiples of ln 2 in two parts (Cody and Waite, "
    "Software Manual for the Elementary Functions,\n"
    "1980; the parts are those of FDLIBM), tanh is h / (h + 1) with h = (exp(2 |x|) - "
    "1) / 2, and erf\n"
    "is 1 - exp of a polynomial above 0.925. The polynomials are close to the "
    "minimax ones for the relative error on the\n"
    "interval that remains, in coefficients of float "
    "precision.\n\n"
    "An error below 2.5 leaves at most 2 ULP to the correctly rounded result.\n\n"
    "Functions of infinity give their limit: gelu, swish, mish and hard_swish of -inf are -0, "
    "softsign of inf is 1.\n\n";

void print_head() {
  std::printf("%s", kHead);
  std::printf("Measured with GCC %s", __VERSION__);
#if defined(__GLIBC__)
  std::printf(" and glibc %s", gnu_get_libc_version());
#endif
  std::printf(", `-O3`, for x86-64, `-march=x86-64-v3` and `-march=native` (%d lanes).\n\n",
              forms_native().lanes);
}

const char kRowHead[] =
    "| Function | Bound | Target | Inputs | Scalar ULP | Worst input | Vector ULP | Worst input | "
    "Differ |\n"
    "|---|---|---|---|---|---|---|---|---|\n";
const char kPowHead[] =
    "\n| Function | Bound | Target | Inputs | Scalar ULP | Worst input | Vector ULP | Worst input "
    "|\n"
    "|---|---|---|---|---|---|---|---|\n";
const char kWideHead[] =
    "| Function | Bound | Largest ULP of any target | Worst input |\n|---|---|---|---|\n";
const char kNarrowHead[] =
    "| Function | float16: not nearest | by at most | bfloat16: not nearest | by at most "
    "|\n|---|---|---|---|---|\n";

// Rows of an earlier run, in the order of the functions.
void copy_rows(const std::string& path) {
  std::vector<std::string> lines;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  for (const Reference& reference : references())
    for (const std::string& line : lines)
      if (line.rfind("| " + std::string(reference.name) + " |", 0) == 0)
        std::printf("%s\n", line.c_str());
}

}  // namespace

bool print_page(const std::vector<Forms>& forms, const Options& options) {
  print_head();
  std::printf("## float32\n\n%s", kRowHead);
  bool good = true;
  if (options.measured.empty())
    good = measure_unary(forms, options.visit, options.names);
  else
    copy_rows(options.measured);
  std::printf("%s", kPowHead);
  good = measure_pow(forms, options.samples * 10) && good;
  std::printf(
      "\n## float64\n\n%llu inputs each. The functions of the C library, and formulas on "
      "them.\n\n%s",
      static_cast<unsigned long long>(options.samples), kWideHead);
  good = measure_wide(forms, options.samples) && good;
  std::printf(
      "\n## float16 and bfloat16\n\nComputed in float32 and rounded to nearest, ties to even: all "
      "65536 inputs of each type. A "
      "result is not the\nnearest value only where the exact one is close to the middle between "
      "two.\n\n%s",
      kNarrowHead);
  return measure_narrow(forms[0]) && good;
}

bool check_page(const std::string& path) {
  std::ifstream in(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  for (const Reference& reference : references()) {
    bool good = true, wide = false;
    int rows = 0, wide_rows = 0;
    for (const std::string& line : lines) {
      if (line.rfind("## ", 0) == 0) wide = line == "## float64";
      char name[64] = "", target[64] = "", inputs[64] = "", at[64] = "";
      double bound = 0, scalar = 0, vector = 0;
      if (std::sscanf(line.c_str(), "| %63s |", name) != 1 ||
          std::strcmp(name, reference.name) != 0)
        continue;
      if (wide && std::sscanf(line.c_str(), "| %63s | %lf | %lf", name, &bound, &scalar) == 3) {
        ++wide_rows;
        good = good && bound == reference.wide_bound && scalar <= bound;
      }
      if (std::sscanf(line.c_str(), "| %63s | %lf | %63[^|]| %63[^|]| %lf | %63[^|]| %lf", name,
                      &bound, target, inputs, &scalar, at, &vector) == 7) {
        ++rows;
        good = good && bound == reference.bound && std::max(scalar, vector) <= bound;
      }
    }
    if (good && rows > 0 && wide_rows == 1) continue;
    std::fprintf(stderr, "%s: the rows of %s are not those of functions.inc\n", path.c_str(),
                 reference.name);
    return false;
  }
  return true;
}

}  // namespace accuracy

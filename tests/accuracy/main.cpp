// main.cpp - measures the error of the element-wise functions over float bit patterns.
// usage: accuracy [--stride N] [--dense] [names...]      rows of the table of float32
//        accuracy --check docs/ACCURACY.md        all rows, and the bounds that the page states
//        accuracy --page [--measured FILE]        the page; rows of float32 from the file
// --samples N: inputs of each float64 function.
// Exit code 1 if a bound of functions.inc is exceeded.
#include <algorithm>
#include <cstdlib>

#include "tests/accuracy/measure.hpp"

using namespace accuracy;

namespace {

std::vector<Forms> targets() {
  std::vector<Forms> all{forms_default()};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    all.push_back(forms_x86_64_v3());
#endif
  all.push_back(forms_native());
  return all;
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const std::string value = i + 1 < argc ? argv[i + 1] : "";
    if (argument == "--page" || argument == "--dense") {
      (argument == "--page" ? options.page : options.visit.dense) = true;
      continue;
    }
    if (argument.rfind("--", 0) != 0) {
      options.names.push_back(argument);
      continue;
    }
    ++i;
    if (argument == "--stride")
      options.visit.stride = std::max(1ull, std::strtoull(value.c_str(), nullptr, 10));
    if (argument == "--samples") options.samples = std::strtoull(value.c_str(), nullptr, 10);
    if (argument == "--measured") options.measured = value;
    if (argument == "--check") options.check = value;
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  const std::vector<Forms> forms = targets();
  if (options.page) return print_page(forms, options) ? 0 : 1;
  bool good = options.check.empty() || check_page(options.check);
  good = measure_unary(forms, options.visit, options.names) && good;
  if (options.check.empty()) return good ? 0 : 1;
  good = measure_pow(forms, options.samples) && good;
  good = measure_wide(forms, options.samples) && good;
  return measure_narrow(forms[0]) && good ? 0 : 1;
}

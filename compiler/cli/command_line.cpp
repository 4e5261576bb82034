#include "compiler/cli/command_line.hpp"
#include "compiler/compile.hpp"
#include <fmt/format.h>
#include <cstring>
namespace onnxc {
int run_command_line(int argc, char** argv) {
  try {
  CompileOptions o;
  for (int i = 1; i < argc; ++i) {
    if (!strcmp(argv[i], "-o")) o.output_base = argv[++i];
    else if (!strcmp(argv[i], "--target")) o.target = argv[++i];
    else if (!strcmp(argv[i], "-v")) o.verbosity = 1;
    else if (!strcmp(argv[i], "--report")) o.reports.push_back(argv[++i]);
    else if (!strcmp(argv[i], "--dim")) { std::string s = argv[++i]; auto e = s.find('='); auto n = std::stol(s.substr(e+1)); o.dims[s.substr(0,e)] = {n, n}; }
    else o.model = argv[i];
  }
  return run_compile(o);
  } catch (const FatalError& e) { fmt::print(stderr, "{}\n", e.what()); return e.exit_code; }
}
}

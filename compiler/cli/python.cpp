// The `python` command: a model as a package of Python.
#include "compiler/products/python_package.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "compiler/cli/budget.hpp"
#include "compiler/cli/commands.hpp"
#include "compiler/interface/names.hpp"
#include "compiler/run/toolchain.hpp"
#include "compiler/session/session.hpp"
#include "compiler/support/words.hpp"
#include "compiler/support/terminal.hpp"
#include "compiler/support/write_files.hpp"

namespace onnxc {
namespace {

// A name that Python can import: an identifier, and no keyword.
bool is_python_name(const std::string& name) {
  static const std::set<std::string> kKeywords = {
      "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
      "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
      "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
      "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};
  return identifier_from(name, name.size()) == name && kKeywords.count(name) == 0;
}

// What a package has no use for, and would have to be in its interface.
const char* unwanted(const CompileOptions& o) {
  if (o.train) return "--train";
  if (o.hook) return "--hook";
  if (!o.input_rows.empty()) return "--input-rows";
  if (!o.devices.empty()) return "--devices";
  if (!o.memory.empty()) return "--memory";
  if (!o.bundle.empty()) return "--bundle";
  return nullptr;
}

// The package's folder, by default named like the model.
std::string folder_of(const CompileOptions& o) {
  const std::string base =
      o.output_base.empty() ? identifier_from(std::filesystem::path(o.model).stem().string()).text()
                            : o.output_base;
  return base.ends_with("/") ? base.substr(0, base.size() - 1) : base;
}

PythonPackage package_of(const CompileOptions& o) {
  PythonPackage package;
  package.folder = folder_of(o);
  package.name = std::filesystem::path(package.folder).filename().string();
  if (!is_python_name(package.name))
    throw FatalError(
        exit_code::usage,
        fmt::format("Python cannot import '{}': choose another folder with -o", package.name));
  if (const char* option = unwanted(o))
    throw FatalError(exit_code::usage, fmt::format("a Python package has no {}", option));
  package.flags = split_words(compiler_flags(o));
  if (o.threads > 1) package.flags.push_back("-pthread");
  if (o.threads > 1 && !o.openmp) package.threads = o.threads;
  return package;
}

}  // namespace

int run_python(const CompileOptions& options) {
  const PythonPackage package = package_of(options);
  CompileOptions o = options;
  o.output_base = package.folder + "/src/" + package.name;
  Diagnostics diagnostics;
  CompileResult r;
  const int code = compile_within_limits(o, r, diagnostics);
  diagnostics.print(o.model, stderr);
  if (code != exit_code::ok) return code;
  for (GeneratedFile& f : python_files(r, package, r.files)) r.files.push_back(std::move(f));
  write_files(r.files);
  if (!o.quiet)
    terminal::print(stderr, "{} -> {}: {} files | import {}; pip wheel {}\n",
                    std::filesystem::path(o.model).filename().string(), package.folder,
                    r.files.size(), package.name, package.folder);
  return exit_code::ok;
}

}  // namespace onnxc

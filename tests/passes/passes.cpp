// Runs the cases of tests/passes/*.case: a graph, the passes to run, the graph that must come out.
// ONNXC_UPDATE=1 in the environment rewrites the expected parts.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "compiler/ir/parse.hpp"
#include "compiler/ir/print.hpp"
#include "compiler/ir/verify.hpp"
#include "compiler/passes/pass.hpp"

namespace onnxc {
namespace {

struct Case {
  std::string name, passes, target, fp, in, out;
};

// Blocks: "=== name", "passes: a b", perhaps "target: t" and "fp: strict", the graph, "---", the
// expected graph or diagnostics.
std::vector<Case> read_cases(const std::filesystem::path& path) {
  std::vector<Case> cases;
  std::ifstream file(path);
  std::string line;
  bool expected = false;
  while (std::getline(file, line)) {
    if (line.rfind("=== ", 0) == 0) {
      cases.push_back({line.substr(4), "", "", "", "", ""});
      expected = false;
    } else if (line.rfind("passes: ", 0) == 0) {
      cases.back().passes = line.substr(8);
    } else if (line.rfind("target: ", 0) == 0) {
      cases.back().target = line.substr(8);
    } else if (line.rfind("fp: ", 0) == 0) {
      cases.back().fp = line.substr(4);
    } else if (line == "---") {
      expected = true;
    } else if (!cases.empty()) {
      (expected ? cases.back().out : cases.back().in) += line + "\n";
    }
  }
  return cases;
}

void write_cases(const std::filesystem::path& path, const std::vector<Case>& cases) {
  std::ofstream file(path);
  for (const Case& c : cases) {
    file << "=== " << c.name << "\npasses: " << c.passes << "\n";
    if (!c.target.empty()) file << "target: " << c.target << "\n";
    if (!c.fp.empty()) file << "fp: " << c.fp << "\n";
    file << c.in << "---\n" << c.out;
  }
}

std::string run(const Case& c) {
  const auto graph = parse_graph(c.in);
  CompileOptions options;
  options.strict_fp = c.fp == "strict";
  const Target target = make_target(c.target.empty() ? "generic" : c.target);
  Diagnostics diagnostics;
  PassContext context{options, target, diagnostics};
  std::istringstream names(c.passes);
  for (std::string name; names >> name;) {
    const Pass* found = nullptr;
    for (const Pass& pass : pipeline())
      if (name == pass.name) found = &pass;
    REQUIRE(found != nullptr);
    run_pass(*graph, *found, context);
    CHECK(verify(*graph, false).empty());
  }
  std::string text;
  for (const Diagnostic& d : diagnostics.all()) text += diagnostics.format(d, "model") + "\n";
  return text.empty() ? print(*graph) : text;
}

}  // namespace

TEST_CASE("passes rewrite graphs as written down", "[passes]") {
  const bool update = std::getenv("ONNXC_UPDATE") != nullptr;
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(ONNXC_SOURCE_DIR "/tests/passes")) {
    if (entry.path().extension() != ".case") continue;
    ++files;
    std::vector<Case> cases = read_cases(entry.path());
    REQUIRE_FALSE(cases.empty());
    for (Case& c : cases) {
      INFO(entry.path().filename().string() << ": " << c.name);
      const std::string got = run(c);
      if (update) c.out = got;
      CHECK(got == c.out);
    }
    if (update) write_cases(entry.path(), cases);
  }
  CHECK(files >= 7);
}

}  // namespace onnxc

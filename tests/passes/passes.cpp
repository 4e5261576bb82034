// Runs the cases of tests/passes/*.case: a graph, the passes to run, and the graph that must come
// out; with steps of the schedule, the program. ONNXC_UPDATE=1 in the environment rewrites the
// expected parts.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "compiler/ir/parse.hpp"
#include "compiler/ir/print.hpp"
#include "compiler/ir/print_program.hpp"
#include "compiler/ir/verify.hpp"
#include "compiler/passes/pass.hpp"
#include "compiler/schedule/pipeline.hpp"
#include "compiler/schedule/schedule.hpp"
#include "compiler/schedule/verify.hpp"

namespace onnxc {
namespace {

struct Case {
  std::string name;
  // "passes: a b", "schedule: c d", "target: t", "fp: strict", "dims: N=4 M=1..8", "shapes: 2x3 4"
  // of the data for the inputs, "memory: NAME=BYTES*COST ...", and "io: int8" and "zipmap: tensor"
  // as the options of these names; the first one is always there. "passes: all" is the whole
  // pipeline, "schedule: lower" nothing but lowering.
  std::vector<std::pair<std::string, std::string>> settings;
  std::string in, out;

  std::string get(const std::string& key) const {
    for (const auto& [name, value] : settings)
      if (name == key) return value;
    return "";
  }
};

bool is_setting(const std::string& line) {
  for (const char* key : {"passes: ", "schedule: ", "target: ", "fp: ", "dims: ", "shapes: ",
                          "memory: ", "io: ", "zipmap: "})
    if (line.rfind(key, 0) == 0) return true;
  return false;
}

// Blocks: "=== name", the settings, the graph, "---", the expected graph, program or diagnostics.
std::vector<Case> read_cases(const std::filesystem::path& path) {
  std::vector<Case> cases;
  std::ifstream file(path);
  std::string line;
  bool expected = false;
  while (std::getline(file, line)) {
    if (line.rfind("=== ", 0) == 0) {
      cases.push_back({line.substr(4), {}, "", ""});
      expected = false;
    } else if (!expected && is_setting(line)) {
      const std::size_t colon = line.find(": ");
      cases.back().settings.emplace_back(line.substr(0, colon), line.substr(colon + 2));
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
    file << "=== " << c.name << "\n";
    for (const auto& [name, value] : c.settings) file << name << ": " << value << "\n";
    file << c.in << "---\n" << c.out;
  }
}

// A pass may have two rows; the last one cleans up.
template <class Row>
const Row& find_row(std::span<const Row> rows, const std::string& name) {
  const auto row =
      std::find_if(rows.rbegin(), rows.rend(), [&](const Row& r) { return name == r.name; });
  if (row == rows.rend()) FAIL("no pass is called " << name);
  return *row;
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

// The options that the settings of a case make.
CompileOptions options_of(const Case& c) {
  CompileOptions options;
  options.strict_fp = c.get("fp") == "strict";
  options.quantized_io = c.get("io") == "int8";
  options.zipmap_tensors = c.get("zipmap") == "tensor";
  for (const std::string& dim : words(c.get("dims"))) {
    const std::size_t equals = dim.find('='), dots = dim.find("..");
    const std::int64_t size = std::stoll(dim.substr(equals + 1));
    const bool one = dots == std::string::npos;
    options.dims[dim.substr(0, equals)] = {size, one ? size : std::stoll(dim.substr(dots + 2))};
  }
  for (const std::string& region : words(c.get("memory"))) {
    const std::size_t equals = region.find('='), times = region.find('*');
    options.memory.push_back({region.substr(0, equals), std::stoll(region.substr(equals + 1)),
                              std::stod(region.substr(times + 1))});
  }
  for (const std::string& shape : words(c.get("shapes"))) {
    std::istringstream in(shape);
    options.input_shapes.emplace_back().emplace();
    for (std::string size; std::getline(in, size, 'x');)
      options.input_shapes.back()->push_back(std::stoll(size));
  }
  return options;
}

void run_passes(Graph& graph, const Case& c, PassContext& context) {
  if (c.get("passes") == "all") return run_pipeline(graph, context);
  for (const std::string& name : words(c.get("passes"))) {
    run_pass(graph, find_row(pipeline(), name), context);
    CHECK(verify(graph, false).empty());
  }
}

std::string run_schedule_of(const Graph& graph, const Case& c, PassContext& context) {
  Program program = lower_graph(graph, context.options, context.target, context.diagnostics);
  ScheduleContext schedule{context.options, context.target, context.diagnostics};
  bool placed = false;
  for (const std::string& name : words(c.get("schedule"))) {
    if (name == "lower") continue;
    const SchedulePass& pass = find_row(schedule_pipeline(), name);
    pass.run(program, schedule);
    placed = placed || pass.is(SchedulePass::places);
    CHECK(verify(program, placed).empty());
  }
  return print(program);
}

std::string run(const Case& c) {
  const auto graph = parse_graph(c.in);
  const CompileOptions options = options_of(c);
  const Target target = make_target(c.get("target").empty() ? "generic" : c.get("target"));
  Diagnostics diagnostics;
  PortFacts ports;
  PassContext context{options, target, diagnostics, &ports};
  run_passes(*graph, c, context);
  const bool lowers = !c.get("schedule").empty() && !diagnostics.has_errors();
  const std::string result = lowers ? run_schedule_of(*graph, c, context) : print(*graph);
  std::string text;
  for (const Diagnostic& d : diagnostics.all()) text += diagnostics.format(d, "model") + "\n";
  return text.empty() ? result : text;
}

// Passes that no case names.
std::vector<std::string> without_case(const std::set<std::string>& named) {
  std::vector<std::string> missing;
  for (const Pass& pass : pipeline())
    if (!named.count(pass.name)) missing.push_back(pass.name);
  for (const SchedulePass& pass : schedule_pipeline())
    if (!named.count(pass.name)) missing.push_back(pass.name);
  return missing;
}

}  // namespace

TEST_CASE("passes rewrite graphs as written down", "[passes]") {
  const bool update = std::getenv("ONNXC_UPDATE") != nullptr;
  std::set<std::string> named;
  for (const auto& entry : std::filesystem::directory_iterator(ONNXC_SOURCE_DIR "/tests/passes")) {
    if (entry.path().extension() != ".case") continue;
    std::vector<Case> cases = read_cases(entry.path());
    REQUIRE_FALSE(cases.empty());
    for (Case& c : cases) {
      INFO(entry.path().filename().string() << ": " << c.name);
      const std::string got = run(c);
      if (update) c.out = got;
      CHECK(got == c.out);
      for (const char* key : {"passes", "schedule"})
        for (const std::string& name : words(c.get(key))) named.insert(name);
    }
    if (update) write_cases(entry.path(), cases);
  }
  CHECK(without_case(named) == std::vector<std::string>{});
}

}  // namespace onnxc

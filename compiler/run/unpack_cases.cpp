// Writes the cases of a file as model.onnx, data.json and test_data_set_*/{input,output}_N.pb.
#include "compiler/run/test_case.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "compiler/onnx/text/case_file.hpp"
#include "compiler/run/harness.hpp"
#include "compiler/support/diagnostics.hpp"
#include "compiler/support/read_file.hpp"

namespace onnxc {
namespace {

namespace fs = std::filesystem;

std::vector<TextCase> parse(const std::string& file) {
  if (!fs::is_regular_file(file))
    throw FatalError(exit_code::io, fmt::format("{}: no such file", file));
  try {
    return parse_case_file(read_file(file), fs::path(file).parent_path());
  } catch (const ParseError& e) {
    throw FatalError(exit_code::io, fmt::format("{}: {}", file, e.what()));
  }
}

void write_series(const std::string& folder, const char* what,
                  const std::vector<std::string>& contents) {
  for (std::size_t i = 0; i < contents.size(); ++i)
    write_file(fmt::format("{}/{}_{}.pb", folder, what, i), contents[i]);
}

std::string tolerances(const TextCase& test) {
  std::string json;
  if (test.rtol) json += fmt::format("\"rtol\": {}", *test.rtol);
  if (test.atol) json += fmt::format("{}\"atol\": {}", json.empty() ? "" : ", ", *test.atol);
  return "{" + json + "}\n";
}

// The steps of training, and the state before them.
void write_training(const TextCase& test, const std::string& folder) {
  fs::create_directories(folder + "/init");
  write_series(folder + "/init", "state", test.initial);
  for (std::size_t i = 0; i < test.steps.size(); ++i) {
    const TextCase::Step& step = test.steps[i];
    const std::string path = fmt::format("{}/step_{}", folder, i);
    fs::create_directories(path);
    write_series(path, "input", step.inputs);
    write_series(path, "output", step.outputs);
    write_series(path, "state", step.states);
    if (step.algorithm) write_file(path + "/algorithm", fmt::format("{}\n", *step.algorithm));
  }
}

TestCase write_case(const TextCase& test, const std::string& folder) {
  fs::remove_all(folder);
  fs::create_directories(folder);
  TestCase written;
  written.folder = folder;
  written.model = folder + "/model.onnx";
  written.refusal = test.refusal;
  written.warning = test.warning;
  written.trains = test.trains;
  if (!test.steps.empty() || !test.initial.empty()) {
    written.training = folder + "/train";
    write_training(test, written.training);
  }
  write_file(written.model, test.model);
  if (test.rtol || test.atol) write_file(folder + "/data.json", tolerances(test));
  for (std::size_t i = 0; i < test.data_sets.size(); ++i) {
    const std::string data = fmt::format("{}/test_data_set_{}", folder, i);
    fs::create_directories(data);
    write_series(data, "input", test.data_sets[i].inputs);
    write_series(data, "output", test.data_sets[i].outputs);
    written.data_sets.push_back(data);
  }
  return written;
}

}  // namespace

// The file's stem, with a number if another file has the same stem.
std::string CaseUnpacker::folder_of(const std::string& file) {
  const std::string stem = fs::path(file).stem().string();
  std::string name = stem;
  for (int n = 2; files_.emplace(name, file).first->second != file; ++n)
    name = fmt::format("{}_{}", stem, n);
  return fmt::format("{}/{}", folder_, name);
}

std::vector<TestCase> CaseUnpacker::unpack(const std::string& file, const std::string& name) {
  const std::string folder = folder_of(file);
  std::vector<TestCase> out;
  for (const TextCase& test : parse(file)) {
    if (!name.empty() && test.name != name) continue;
    out.push_back(write_case(test, fmt::format("{}/{}", folder, test.name)));
    out.back().path = fmt::format("{}:{}", file, test.name);
  }
  if (out.empty() && !name.empty())
    throw FatalError(exit_code::io, fmt::format("{}: no case '{}'", file, name));
  return out;
}

}  // namespace onnxc

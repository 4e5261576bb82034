// Reads files of test cases.
#include "compiler/onnx/text/case_file.hpp"

#include <fmt/format.h>

#include <charconv>
#include <set>

#include "compiler/onnx/text/onnx_text.hpp"
#include "proto/onnx.pb.h"

namespace onnxc {
namespace {

using namespace reader;

double read_tolerance(OnnxText& in) {
  const std::string text = in.number();
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !(value >= 0))
    in.fail("bad tolerance " + text);
  return value;
}

// "given" opens a data set, unless one is open that has no outputs yet. After "step" it belongs to
// the step.
void read_given(OnnxText& in, TextCase& test) {
  if (!test.steps.empty()) return test.steps.back().inputs.push_back(read_data(in));
  if (test.data_sets.empty() || !test.data_sets.back().outputs.empty())
    test.data_sets.emplace_back();
  test.data_sets.back().inputs.push_back(read_data(in));
}

void read_expected(OnnxText& in, TextCase& test) {
  if (!test.steps.empty()) return test.steps.back().outputs.push_back(read_data(in));
  if (test.data_sets.empty()) test.data_sets.emplace_back();
  test.data_sets.back().outputs.push_back(read_data(in));
}

// "step", or "step 1" for one of several algorithms.
void read_step(OnnxText& in, TextCase& test) {
  TextCase::Step& step = test.steps.emplace_back();
  if (in.peek() >= '0' && in.peek() <= '9') step.algorithm = in.integer();
}

void read_statement(OnnxText& in, TextCase& test) {
  const std::string word = in.word();
  if (word == "given")
    read_given(in, test);
  else if (word == "expect")
    read_expected(in, test);
  else if (word == "step")
    read_step(in, test);
  else if (word == "state")
    (test.steps.empty() ? test.initial : test.steps.back().states).push_back(read_data(in));
  else if (word == "rtol")
    test.rtol = read_tolerance(in);
  else if (word == "atol")
    test.atol = read_tolerance(in);
  else if (word == "refused")
    test.refusal = in.string_literal();
  else if (word == "warned")
    test.warning = in.string_literal();
  else
    in.fail(
        fmt::format("expected given, expect, step, state, refused, warned, rtol, atol or ===, "
                    "not {}",
                    word));
}

void read_case(OnnxText& in, TextCase& test) {
  pb::ModelProto model;
  read_model(in, test.name, model);
  test.model = model.SerializeAsString();
  test.trains = !model.training_info().empty();
  while (!in.at_end() && in.peek() != '=') read_statement(in, test);
  const bool data = !test.data_sets.empty() || !test.steps.empty() || !test.initial.empty();
  if (data != test.refusal.empty())
    in.fail(fmt::format("'{}' needs either data or a refusal", test.name));
}

}  // namespace

std::vector<TextCase> parse_case_file(std::string_view text, const std::filesystem::path& folder) {
  OnnxText in(text, folder);
  std::vector<TextCase> cases;
  std::set<std::string> names;
  while (!in.at_end()) {
    in.expect("===");
    TextCase& test = cases.emplace_back();
    test.name = in.word();
    if (test.name[0] == '.') in.fail("a name does not start with a point");
    if (!names.insert(test.name).second) in.fail(fmt::format("'{}' is there twice", test.name));
    read_case(in, test);
  }
  return cases;
}

}  // namespace onnxc

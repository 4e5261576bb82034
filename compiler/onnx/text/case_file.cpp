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

void read_statements(OnnxText& in, TextCase& test) {
  while (!in.at_end() && in.peek() != '=') read_statement(in, test);
}

void read_model_of(OnnxText& in, TextCase& test) {
  pb::ModelProto model;
  read_model(in, test.name, model);
  test.model = model.SerializeAsString();
  test.trains = !model.training_info().empty();
}

// What follows the line "=== NAME" of a case, up to the next case.
std::string text_of_case(OnnxText& in, const std::string& name) {
  const std::string head = fmt::format("\n=== {}\n", name);
  const std::string file = "\n" + std::string(in.whole);
  const std::size_t begin = file.find(head);
  if (begin == std::string::npos) in.fail(fmt::format("no case '{}'", name));
  const std::size_t from = begin + head.size(), end = file.find("\n===", from - 1);
  return file.substr(from, end == std::string::npos ? end : end - from);
}

// ", "this" -> "that"", any number of them, in a text of the case `base`.
void read_changes(OnnxText& in, const std::string& base, std::string& text) {
  while (in.accept(",")) {
    const std::string old = in.string_literal();
    in.expect("->");
    const std::string by = in.string_literal();
    std::size_t at = old.empty() ? std::string::npos : text.find(old);
    if (at == std::string::npos) in.fail(fmt::format("'{}' has no \"{}\"", base, old));
    for (; at != std::string::npos; at = text.find(old, at + by.size()))
      text.replace(at, old.size(), by);
  }
}

// The model of another case, with changes, and its data as they are.
void read_like(OnnxText& in, TextCase& test) {
  const std::string base = in.word();
  const std::string text = text_of_case(in, base);
  std::string changed = text;
  read_changes(in, base, changed);
  OnnxText other(text, in.folder), model(changed, in.folder);
  if (other.accept_word("like")) in.fail(fmt::format("'{}' is like another case itself", base));
  try {
    read_model_of(other, test);
    read_statements(other, test);
    read_model_of(model, test);
  } catch (const ParseError& e) {
    in.fail(fmt::format("in the text of '{}': {}", base, e.what()));
  }
}

// Its own statements take the place of those of the other case, which says the rest.
void read_case_like(OnnxText& in, TextCase& test) {
  read_like(in, test);
  TextCase own;
  read_statements(in, own);
  if (!own.steps.empty() || !own.initial.empty())
    in.fail("a case that is like another one has no steps of its own");
  const bool expects = !own.data_sets.empty(), gives = expects && !own.data_sets[0].inputs.empty();
  if (expects && !gives) {
    if (test.data_sets.size() != 1)
      in.fail(
          "'expect' without 'given' is for one set of data, and the other case has more or none");
    own.data_sets[0].inputs = test.data_sets[0].inputs;
  }
  if (expects || !own.refusal.empty()) test.data_sets = own.data_sets;
  if (expects || !own.refusal.empty()) test.refusal = own.refusal;
  if (!own.warning.empty()) test.warning = own.warning;
  if (own.rtol) test.rtol = own.rtol;
  if (own.atol) test.atol = own.atol;
}

void read_case(OnnxText& in, TextCase& test) {
  if (in.accept_word("like"))
    read_case_like(in, test);
  else
    read_model_of(in, test), read_statements(in, test);
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

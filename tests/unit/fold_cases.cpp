// Constant folding has the semantics of the standard: where the inputs of a case are constants,
// what is evaluated at compile time are the expected outputs.
#include <fmt/format.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "compiler/onnx/read/data.hpp"
#include "compiler/onnx/read/import.hpp"
#include "compiler/passes/pass.hpp"
#include "compiler/run/test_case.hpp"
#include "proto/onnx.pb.h"

namespace onnxc {
namespace {

using std::filesystem::path;

constexpr const char* kOwn = ONNXC_SOURCE_DIR "/tests/conformance/cases";
constexpr const char* kStandard = "/usr/share/libonnx-testdata/data/node";

template <class Message>
bool read(Message& message, const path& file) {
  std::ifstream in(file, std::ios::binary);
  return in && message.ParseFromIstream(&in);
}

// Writes the model with the tensors of a data set as initializers. False where an input is of
// another kind.
bool write_with_constant_inputs(const path& model_file, const path& data, const path& file) {
  pb::ModelProto model;
  if (!read(model, model_file)) return false;
  pb::GraphProto& graph = *model.mutable_graph();
  for (int i = 0; i < graph.input_size(); ++i) {
    if (!graph.input(i).type().has_tensor_type()) return false;
    pb::TensorProto& tensor = *graph.add_initializer();
    if (!read(tensor, data / fmt::format("input_{}.pb", i))) return false;
    tensor.set_name(graph.input(i).name());
  }
  std::ofstream out(file, std::ios::binary);
  return model.SerializeToOstream(&out);
}

// How many outputs were evaluated.
int check_folded(const TestCase& test, const path& data, const path& file) {
  if (!write_with_constant_inputs(test.model, data, file)) return 0;
  Diagnostics diagnostics;
  const CompileOptions options;
  const Target target = make_target("generic");
  PassContext context{options, target, diagnostics};
  Model model = import_model(file.string(), diagnostics);
  if (!diagnostics.has_errors()) run_inference(model.graph, context);
  if (diagnostics.has_errors()) return 0;
  int count = 0;
  for (std::size_t i = 0; i < model.graph.outputs.size(); ++i) {
    const Value& output = *model.graph.outputs[i];
    const path expected = data / fmt::format("output_{}.pb", i);
    if (!output.constant || !exists(expected)) continue;
    const DataValue want = import_data_file(expected.string(), output.type);
    // Older data of the standard hold bfloat16 as uint16.
    if (want.tensor.elem() != output.type.elem) continue;
    const Comparison comparison =
        compare(*output.constant, want.tensor, tolerance_of(test, Tolerance{}));
    INFO(test.path << ", output " << i << ": " << comparison.message);
    CHECK(comparison.match);
    ++count;
  }
  return count;
}

}  // namespace

TEST_CASE("constants are folded to the expected outputs of every case", "[passes]") {
  const path scratch =
      std::filesystem::temp_directory_path() / fmt::format("onnxc-fold-{}", getpid());
  std::vector<std::string> folders{kOwn};
  if (exists(path(kStandard))) folders.emplace_back(kStandard);
  int count = 0;
  for (const TestCase& test : find_test_cases(folders, scratch.string()))
    if (test.refusal.empty() && !test.data_sets.empty())
      count += check_folded(test, test.data_sets[0], scratch / "constant.onnx");
  remove_all(scratch);
  CHECK(count > 250);
}

}  // namespace onnxc

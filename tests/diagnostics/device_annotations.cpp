// Annotations for several devices: what they mean, and the messages for broken ones.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>

#include "compiler/devices/resolve.hpp"
#include "compiler/onnx/text/case_file.hpp"
#include "compiler/passes/pass.hpp"
#include "tests/diagnostics/broken_models.hpp"

namespace {

using namespace onnxc;
using namespace onnxc::broken;

constexpr const char* kModel = R"(=== c
<ir_version: 11, opset_import: ["": 22, "own": 1], configuration: CONFIGURATION>
(float[4,N] x, float[N,6] w, seq(float[2]) s, float[] r)
  => (float[4,6] y, int64 n, float[?,?] d, float[] e) {
  ["product"] y = MatMul (x, w) PRODUCT
  ["count"] n = SequenceLength (s) COUNT
  ["second"] b = Relu (y) @ {configuration_id: "two", pipeline_stage: 1}
  ["between"] c = Neg (b)
  ["third"] d = Abs (c) THIRD
  ["open"] e = Abs (r) OPEN
  ["call"] f = own.Twice (y, "", y) CALL
}
<domain: "own", opset_import: ["": 22]>
Twice (a, b, c) => (t) { ["inner"] t = Add (a, c) INNER }
expect float t = {0}
)";

constexpr const char* kConfiguration =
    R"([{name: "two", num_devices: 2}, {name: "six", num_devices: 6}])";

void replace(std::string& text, const std::string& from, const std::string& to) {
  if (const std::size_t at = text.find(from); at != std::string::npos)
    text.replace(at, from.size(), to);
}

// The model with a text in the place of PRODUCT or another of the words above.
std::string annotated(const std::string& place, const std::string& annotation) {
  std::string text = kModel;
  replace(text, place, annotation);
  replace(text, "CONFIGURATION", kConfiguration);
  for (const char* other : {"PRODUCT", "COUNT", "THIRD", "OPEN", "CALL", "INNER"})
    replace(text, other, "");
  return parse_case_file(text)[0].model;
}

Model load(const fs::path& path, Diagnostics& diagnostics, const CompileOptions& options = {}) {
  Model model = import_model(path.string(), diagnostics);
  const Target target;
  PassContext context{options, target, diagnostics};
  run_checks(model.graph, context);
  devices::resolve(model.graph, options.devices, diagnostics);
  return model;
}

std::string messages(const std::string& place, const std::string& annotation) {
  const TemporaryFolder folder;
  write(folder / "m.onnx", annotated(place, annotation));
  Diagnostics diagnostics;
  load(folder / "m.onnx", diagnostics);
  std::string all;
  for (const Diagnostic& d : diagnostics.all())
    all += (all.empty() ? "" : " & ") + diagnostics.format(d, "m").substr(3);
  replace(all, "node 0 \"product\" (MatMul-13), device_configurations \"two\"", "$");
  return all;
}

const Node& node_named(const Graph& graph, const std::string& name) {
  for (const auto& node : graph.nodes)
    if (node->name == name) return *node;
  throw std::out_of_range(name);
}

}  // namespace

// Each line: the word in the model, what replaces it, and the messages, none of good ones.
TEST_CASE("annotations get exact messages", "[devices]") {
  const std::string path = ONNXC_SOURCE_DIR "/tests/diagnostics/device_annotations.txt";
  std::ifstream in(path);
  std::string updated;
  int broken = 0;
  for (std::string line; std::getline(in, line);) {
    const std::size_t second = line.find('|'), third = line.find('|', second + 1);
    if (line.empty() || line[0] == '#') {
      updated += line + "\n";
      continue;
    }
    const std::string place = line.substr(0, second);
    const std::string annotation = line.substr(second + 1, third - second - 1);
    const std::string found = messages(place, annotation);
    INFO(place << " " << annotation);
    if (!std::getenv("ONNXC_UPDATE")) CHECK(found == line.substr(third + 1));
    updated += line.substr(0, third + 1) + found + "\n";
    broken += found.empty() ? 0 : 1;
  }
  CHECK(broken >= 80);
  if (std::getenv("ONNXC_UPDATE")) write(path, updated);
}

TEST_CASE("annotations are linked to values", "[devices]") {
  const TemporaryFolder folder;
  Diagnostics diagnostics;
  write(folder / "m.onnx", annotated("PRODUCT", R"(@ {configuration_id: "six", pipeline_stage: 3,
      sharding_spec: [{tensor_name: "y", device: [0, -7],
                       index_to_device_group_map: [{key: -7, value: [3, 1]}],
                       sharded_dim: [{axis: -1, simple_sharding: [{dim_value: 3, num_shards: 1},
                                                                  {num_shards: 2}]}]},
                      {tensor_name: "x", device: [1, 2]}]})"));
  const Model model = load(folder / "m.onnx", diagnostics);
  CHECK(diagnostics.all().empty());
  REQUIRE(model.configurations.size() == 2);
  CHECK(model.configurations[1].name == "six");
  CHECK(model.configurations[1].count == 6);
  const Node& node = node_named(model.graph, "product");
  REQUIRE(node.devices);
  REQUIRE(node.devices->size() == 1);
  const NodeDevices& devices = node.devices->front();
  CHECK(devices.stage == 3);
  REQUIRE(devices.specs.size() == 2);
  const ShardingSpec &cut = devices.specs[0], &replicated = devices.specs[1];
  CHECK(cut.value == node.outputs[0]);
  CHECK(cut.groups == std::vector<std::vector<int>>{{0}, {3, 1}});
  REQUIRE(cut.axes.size() == 1);
  CHECK(cut.axes[0].axis == 1);  // -1 of a matrix
  CHECK(cut.axes[0].factors == std::vector<AxisFactor>{{Dim(3), 1}, {std::nullopt, 2}});
  CHECK(replicated.value == node.inputs[0]);
  CHECK(replicated.groups == std::vector<std::vector<int>>{{1, 2}});
}

TEST_CASE("nodes of a function have its annotations, or those of the call", "[devices]") {
  const char* const call = R"(@ {configuration_id: "two", pipeline_stage: 4,
      sharding_spec: [{tensor_name: "f", device: [1]}]})";
  const char* const inner = R"(@ {configuration_id: "two", pipeline_stage: 5,
      sharding_spec: [{tensor_name: "t", device: [0]}, {tensor_name: "a", device: [1]}]})";
  for (const bool of_call : {true, false}) {
    const TemporaryFolder folder;
    Diagnostics diagnostics;
    write(folder / "m.onnx", annotated(of_call ? "CALL" : "INNER", of_call ? call : inner));
    const Model model = load(folder / "m.onnx", diagnostics);
    CHECK(diagnostics.all().empty());
    const Node& node = node_named(model.graph, "inner");
    REQUIRE(node.devices);
    const NodeDevices& devices = node.devices->front();
    CHECK(devices.stage == (of_call ? 4 : 5));
    REQUIRE(devices.specs.size() == (of_call ? 1 : 2));
    CHECK(devices.specs[0].value == node.outputs[0]);
    if (!of_call) CHECK(devices.specs[1].value == node.inputs[0]);
  }
}

TEST_CASE("sizes that are fixed get into annotations", "[devices]") {
  const TemporaryFolder folder;
  write(folder / "m.onnx", annotated("PRODUCT", R"(@ {configuration_id: "two", sharding_spec: [
      {tensor_name: "x", device: [0, 1],
       sharded_dim: [{axis: 1, simple_sharding: [{dim_param: "N", num_shards: 2}]}]}]})"));
  CompileOptions options;
  options.dims["N"] = {10, 10};
  Diagnostics diagnostics;
  const Model model = load(folder / "m.onnx", diagnostics, options);
  CHECK(diagnostics.all().empty());
  const NodeDevices& devices = node_named(model.graph, "product").devices->front();
  CHECK(devices.specs.at(0).axes.at(0).factors.at(0).extent == Dim(10));
}

TEST_CASE("all nodes that an upgrade makes have the annotation", "[devices]") {
  const TemporaryFolder folder;
  const char* const text = R"(=== c
<ir_version: 11, opset_import: ["": 9], configuration: [{name: "two", num_devices: 2}]>
(float16[2,3] x) => (float16[2,3] y) {
  y = Softmax <axis = 0> (x) @ {configuration_id: "two", pipeline_stage: 1}
}
expect float t = {0}
)";
  write(folder / "m.onnx", parse_case_file(text)[0].model);
  Diagnostics diagnostics;
  const Model model = load(folder / "m.onnx", diagnostics);
  CHECK(diagnostics.all().empty());
  CHECK(model.graph.nodes.size() > 1);
  for (const auto& node : model.graph.nodes) {
    REQUIRE(node->devices);
    CHECK(node->devices->front().stage == 1);
  }
}

TEST_CASE("a list of configurations has a limit", "[devices]") {
  const TemporaryFolder folder;
  pb::ModelProto m = relu_model();
  for (int i = 0; i < 101; ++i) m.add_configuration();
  write(folder / "m.onnx", m.SerializeAsString());
  CHECK(import_messages(folder / "m.onnx").at(0) ==
        "m: error[too-large]: configuration: 101 configurations are over the limit of 100");
}

TEST_CASE("lint names the IR version that annotations need", "[devices]") {
  const TemporaryFolder folder;
  pb::ModelProto m = relu_model();
  m.add_configuration()->set_name("two");
  m.mutable_configuration(0)->set_num_devices(2);
  write(folder / "m.onnx", m.SerializeAsString());
  Diagnostics diagnostics;
  import_model((folder / "m.onnx").string(), diagnostics, {.lint = true});
  REQUIRE(diagnostics.all().size() == 1);
  CHECK(diagnostics.format(diagnostics.all()[0], "m") ==
        "m: warning[early-devices]: configurations need ir_version 11, the model says 8");
}

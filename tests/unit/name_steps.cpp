// Names of steps and buffers from the paths of exporters.
#include "compiler/schedule/schedule.hpp"

#include <catch2/catch.hpp>

namespace onnxc {
namespace {

Program steps_of(const std::vector<std::string>& nodes) {
  Program p;
  for (const std::string& node : nodes) {
    Step s;
    s.name = "old";
    s.sources = {node};
    p.steps.push_back(s);
  }
  name_steps(p);
  return p;
}

}  // namespace

TEST_CASE("a step has as much of its path as makes it unique", "[name_steps]") {
  const Program p =
      steps_of({"/encoder/layer.0/attention/MatMul", "/encoder/layer.1/attention/MatMul",
                "/encoder/layer.1/output/Add", "/pooler/Tanh:0"});
  CHECK(p.steps[0].name == "layer.0/attention/MatMul");
  CHECK(p.steps[1].name == "layer.1/attention/MatMul");
  CHECK(p.steps[2].name == "Add");
  CHECK(p.steps[3].name == "Tanh");
}

TEST_CASE("of joined paths the first one counts", "[name_steps]") {
  const Program p = steps_of({"net/conv/Relu;net/conv/BiasAdd/ReadVariableOp",
                              "net/conv_1/Relu;net/conv_1/BiasAdd/ReadVariableOp"});
  CHECK(p.steps[0].name == "conv/Relu");
  CHECK(p.steps[1].name == "conv_1/Relu");
}

TEST_CASE("names without letters stay", "[name_steps]") {
  CHECK(steps_of({"/"}).steps[0].name == "old");
  CHECK(steps_of({"12"}).steps[0].name == "12");
}

TEST_CASE("buffers of a step take its name", "[name_steps]") {
  Program p;
  Buffer scratch;
  scratch.name = "MatMul_scratch";
  p.buffers = {scratch};
  Step s;
  s.name = "MatMul";
  s.sources = {"a/MatMul"};
  s.args = {{BufferArg{0, true}}};
  Step other = s;
  other.sources = {"b/MatMul"};
  other.args.clear();
  p.steps = {s, other};
  name_steps(p);
  CHECK(p.buffers[0].name == "a/MatMul_scratch");
}

}  // namespace onnxc

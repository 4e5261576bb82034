// The kinds of attributes: their type, and the field that holds the value.
#include <catch2/catch.hpp>

#include "tests/diagnostics/broken_models.hpp"

using namespace onnxc;
using namespace onnxc::broken;

TEST_CASE("a value of another kind than the type of an attribute says", "[import]") {
  using A = pb::AttributeProto;
  const std::pair<A::AttributeType, void (*)(A&)> kinds[] = {
      {A::FLOAT, [](A& a) { a.set_f(1); }},
      {A::INT, [](A& a) { a.set_i(1); }},
      {A::STRING, [](A& a) { a.set_s("s"); }},
      {A::TENSOR, [](A& a) { a.mutable_t(); }},
      {A::GRAPH, [](A& a) { a.mutable_g(); }},
      {A::SPARSE_TENSOR, [](A& a) { a.mutable_sparse_tensor(); }},
      {A::TYPE_PROTO, [](A& a) { a.mutable_tp(); }},
      {A::FLOATS, [](A& a) { a.add_floats(1); }},
      {A::INTS, [](A& a) { a.add_ints(1); }},
      {A::STRINGS, [](A& a) { a.add_strings("s"); }},
      {A::TENSORS, [](A& a) { a.add_tensors(); }},
      {A::GRAPHS, [](A& a) { a.add_graphs(); }},
      {A::SPARSE_TENSORS, [](A& a) { a.add_sparse_tensors(); }},
      {A::TYPE_PROTOS, [](A& a) { a.add_type_protos(); }},
  };
  const TemporaryFolder folder;
  for (const auto& [kind, fill] : kinds) {
    const auto type = kind == A::INT ? A::FLOAT : A::INT;
    pb::ModelProto m = relu_model();
    A* const a = m.mutable_graph()->mutable_node(0)->add_attribute();
    a->set_name("alpha");
    a->set_type(type);
    fill(*a);
    write(folder / "m.onnx", m.SerializeAsString());
    const auto messages = import_messages(folder / "m.onnx");
    REQUIRE(messages.size() == 1);
    CHECK(messages[0].ends_with("has the type " + A::AttributeType_Name(type) + " but holds " +
                                A::AttributeType_Name(kind)));
  }
}

// A model whose training_info is broken: what initialization and algorithm share is read twice, and
// reported once.
#include <catch2/catch.hpp>

#include "tests/diagnostics/broken_models.hpp"

using namespace onnxc;
using namespace onnxc::broken;

namespace {

struct Broken {
  const char* name;
  void (*spoil)(pb::TensorProto& variable);
  const char* message;
};

constexpr Broken kVariables[] = {
    {"no element type", [](pb::TensorProto& k) { k.set_data_type(0); },
     "m: error[bad-tensor]: training_info, algorithm, initializer \"k\", tensor \"k\": data_type 0 "
     "is no element type"},
    {"an unknown element type", [](pb::TensorProto& k) { k.set_data_type(1000); },
     "m: error[bad-tensor]: training_info, algorithm, initializer \"k\", tensor \"k\": data_type "
     "1000 is no element type"},
    {"a negative size", [](pb::TensorProto& k) { k.set_dims(0, -1); },
     "m: error[bad-tensor]: training_info, algorithm, initializer \"k\", tensor \"k\": dim 0 is "
     "-1"},
    {"more elements than fit in a number",
     [](pb::TensorProto& k) {
       k.set_dims(0, std::int64_t{1} << 40);
       k.add_dims(std::int64_t{1} << 40);
     },
     "m: error[bad-tensor]: training_info, algorithm, initializer \"k\", tensor \"k\": element "
     "count overflow"},
};

// The initialization doubles `k`, an initializer of the algorithm, which adds it to itself.
pb::ModelProto model_with_own_variable() {
  pb::ModelProto m = relu_model();
  pb::TrainingInfoProto* t = m.add_training_info();
  t->mutable_initialization()->set_name("init");
  add_node(t->mutable_initialization(), "Add", {"k", "k"}, {"k0"});
  set_float_type(t->mutable_initialization()->add_output(), "k0");
  pb::TensorProto* k = t->mutable_algorithm()->add_initializer();
  k->set_name("k");
  k->set_data_type(pb::TensorProto::FLOAT);
  k->add_dims(2);
  k->add_float_data(1);
  k->add_float_data(2);
  t->mutable_algorithm()->set_name("algorithm");
  add_node(t->mutable_algorithm(), "Add", {"k", "k"}, {"k1"});
  set_float_type(t->mutable_algorithm()->add_output(), "k1");
  const auto bind = [](pb::StringStringEntryProto* entry, const char* value) {
    entry->set_key("k");
    entry->set_value(value);
  };
  bind(t->add_initialization_binding(), "k0");
  bind(t->add_update_binding(), "k1");
  return m;
}

std::vector<std::string> messages_of(const pb::ModelProto& m) {
  const TemporaryFolder folder;
  write(folder / "m.onnx", m.SerializeAsString());
  return import_messages(folder / "m.onnx", {.training = true});
}

}  // namespace

TEST_CASE("variables of an algorithm that are wrong", "[import]") {
  REQUIRE(messages_of(model_with_own_variable()).empty());
  for (const Broken& c : kVariables) {
    INFO(c.name);
    pb::ModelProto m = model_with_own_variable();
    c.spoil(*m.mutable_training_info(0)->mutable_algorithm()->mutable_initializer(0));
    CHECK(messages_of(m) == std::vector<std::string>{c.message});
  }
}

// Data files of every kind of value, and what is said of those that do not hold one.
#include <catch2/catch.hpp>

#include "compiler/onnx/read/data.hpp"
#include "tests/diagnostics/broken_models.hpp"

namespace {

using namespace onnxc;
using namespace onnxc::broken;

const Type kFloats = Type::tensor(ElemType::float32);

void fill(pb::TensorProto* t, const std::string& name, float value) {
  t->set_name(name);
  t->set_data_type(pb::TensorProto::FLOAT);
  t->add_float_data(value);
}

// The second of three elements.
void fill(pb::SparseTensorProto* s, float value) {
  s->add_dims(3);
  fill(s->mutable_values(), "s", value);
  s->mutable_values()->add_dims(1);
  s->mutable_indices()->set_data_type(pb::TensorProto::INT64);
  s->mutable_indices()->add_dims(1);
  s->mutable_indices()->add_int64_data(1);
}

DataValue reread(const std::string& bytes, const Type& type) {
  const TemporaryFolder folder;
  write(folder / "input_0.pb", bytes);
  return import_data_file((folder / "input_0.pb").string(), type);
}

std::string problem(const std::string& bytes, const Type& type) {
  try {
    reread(bytes, type);
  } catch (const FatalError& e) {
    const std::string text = e.what();
    return text.substr(text.find(".pb: ") + 5);
  }
  return "";
}

}  // namespace

TEST_CASE("data files: sequences of every kind", "[import]") {
  pb::SequenceProto s;
  s.set_name("all");
  fill(s.add_tensor_values(), "t", 1);
  fill(s.add_sparse_tensor_values(), 2);
  fill(s.add_sequence_values()->add_tensor_values(), "u", 3);
  fill(s.add_optional_values()->mutable_tensor_value(), "v", 4);
  s.add_map_values()->set_key_type(pb::TensorProto::STRING);
  s.mutable_map_values(0)->add_string_keys("k");
  fill(s.mutable_map_values(0)->mutable_values()->add_tensor_values(), "w", 5);
  const DataValue v = reread(s.SerializeAsString(), Type::sequence(kFloats));
  REQUIRE(v.items.size() == 5);
  CHECK(v.name == "all");
  CHECK(v.items[0].tensor.as<float>()[0] == 1);
  CHECK(v.items[1].tensor.dims() == std::vector<std::int64_t>{3});
  CHECK(v.items[1].tensor.as<float>()[1] == 2);
  CHECK(v.items[2].items.at(0).tensor.as<float>()[0] == 3);
  CHECK(v.items[3].keys.strings()[0] == "k");
  CHECK(v.items[3].items.at(0).tensor.as<float>()[0] == 5);
  CHECK(v.items[4].items.at(0).tensor.as<float>()[0] == 4);
}

TEST_CASE("data files: maps and optionals", "[import]") {
  pb::MapProto m;
  m.set_key_type(pb::TensorProto::INT64);
  m.add_keys(7);
  fill(m.mutable_values()->add_tensor_values(), "t", 1);
  const Type map = Type::map(ElemType::int64, kFloats);
  CHECK(reread(m.SerializeAsString(), map).keys.to_int64s() == std::vector<std::int64_t>{7});

  const Type optional = Type::optional(kFloats);
  pb::OptionalProto o;
  CHECK(reread(o.SerializeAsString(), optional).items.empty());
  fill(o.mutable_sparse_tensor_value(), 2);
  CHECK(reread(o.SerializeAsString(), optional).items.at(0).tensor.as<float>()[1] == 2);
  o.Clear();
  o.mutable_sequence_value();
  CHECK(reread(o.SerializeAsString(), optional).items.at(0).kind == Type::Kind::sequence);
  o.Clear();
  *o.mutable_map_value() = m;
  CHECK(reread(o.SerializeAsString(), optional).items.at(0).kind == Type::Kind::map);
  o.Clear();
  o.mutable_optional_value();
  CHECK(reread(o.SerializeAsString(), optional).items.at(0).kind == Type::Kind::optional);
}

TEST_CASE("data files: a tensor as it was written", "[import]") {
  const Tensor t = Tensor::ints(std::vector<std::int64_t>{1, 2, 3});
  const DataValue v = reread(export_data_file(t, "t"), Type::tensor(ElemType::int64));
  CHECK(v.name == "t");
  CHECK(v.tensor.same_content(t));
}

TEST_CASE("data files that hold no value", "[import]") {
  CHECK(problem("\xff", kFloats) == "it is no such message");
  pb::TensorProto t;
  t.set_name("t");
  t.set_data_type(77);
  CHECK(problem(t.SerializeAsString(), kFloats) == "tensor \"t\": data_type 77 is no element type");
  pb::MapProto m;
  m.set_key_type(99);
  CHECK(problem(m.SerializeAsString(), Type::map(ElemType::int64, kFloats)) ==
        "key_type 99 is no element type");
  Type sparse = kFloats;
  sparse.kind = Type::Kind::sparse_tensor;
  pb::SparseTensorProto s;
  CHECK(problem(s.SerializeAsString(), sparse) == "sparse tensor \"\": has no dims");
}

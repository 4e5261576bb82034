// case_file.cpp - files of cases: models and values in ONNX's textual syntax.
#include "compiler/onnx/text/case_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "proto/onnx.pb.h"

using namespace onnxc;

namespace {

// One case of a file: a model with one node, and what follows it.
TextCase one(const std::string& rest) {
  const auto cases = parse_case_file(
      "=== c\n<ir_version: 8, opset_import: [\"\": 16]>\n(float x) => (float y) { y = Abs(x) }\n" +
      rest);
  REQUIRE(cases.size() == 1);
  return cases[0];
}

pb::ModelProto model(const std::string& text) {
  const auto cases = parse_case_file("=== c\n" + text + "\nrefused \"x\"");
  pb::ModelProto proto;
  REQUIRE(proto.ParseFromString(cases.at(0).model));
  return proto;
}

pb::GraphProto graph(const std::string& text) { return model("<ir_version: 8>" + text).graph(); }

pb::NodeProto node(const std::string& text) { return graph("() => () {" + text + "}").node(0); }

pb::AttributeProto attribute(const std::string& text) {
  return node("y = Op <" + text + "> ()").attribute(0);
}

template <class Message = pb::TensorProto>
Message value(const std::string& text) {
  Message message;
  REQUIRE(message.ParseFromString(one("expect " + text).data_sets.at(0).outputs.at(0)));
  return message;
}

template <class T>
std::vector<T> elements(const std::string& text) {
  const std::string raw = value(text).raw_data();
  std::vector<T> out(raw.size() / sizeof(T));
  std::memcpy(out.data(), raw.data(), out.size() * sizeof(T));
  return out;
}

std::string complaint(const std::string& text) {
  try {
    parse_case_file(text);
  } catch (const ParseError& e) {
    return e.what();
  }
  return "";
}

std::string value_complaint(const std::string& text) {
  return complaint("=== c\n<ir_version: 8>\n() => () {}\nexpect " + text);
}

using Bytes = std::vector<std::uint8_t>;
using Words = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("a case has data sets, tolerances, or a refusal") {
  const TextCase plain = one("rtol 0 atol 1e-5 given float x = {1} expect float y = {1}");
  CHECK(plain.name == "c");
  CHECK(plain.rtol == 0.0);
  CHECK(plain.atol == 1e-5);
  CHECK(plain.data_sets.size() == 1);
  const TextCase sets =
      one("given float x = {1} given float z = {2} expect float y = {1} # again\n"
          "given float x = {3} expect float y = {4} expect float w = {5}");
  REQUIRE(sets.data_sets.size() == 2);
  CHECK(sets.data_sets[0].inputs.size() == 2);
  CHECK(sets.data_sets[1].outputs.size() == 2);
  CHECK(one("refused \"no \\\"such\\\" thing\"").refusal == "no \"such\" thing");
  CHECK_FALSE(one("given float x = {1}").rtol);
}

TEST_CASE("what is wrong in a file of cases is said with its line") {
  const std::string head = "=== a\n<ir_version: 8>\n() => () {}\n";
  CHECK(complaint("") == "");
  CHECK(complaint("graph") == "line 1: expected '==='");
  CHECK(complaint(head) == "line 4: 'a' needs either data or a refusal");
  CHECK(complaint(head + "refused \"x\"\ngiven float x = {1}") ==
        "line 5: 'a' needs either data or a refusal");
  CHECK(complaint(head + "refused \"x\"\n=== a\n") == "line 5: 'a' is there twice");
  CHECK(complaint(head + "wants 3").find("not wants") != std::string::npos);
  CHECK(complaint(head + "rtol -1") == "line 4: bad tolerance -1");
  CHECK(complaint("=== ../up\n") != "");
  CHECK(complaint("=== a\n<version: 8>\n") == "line 2: a model has no version");
  CHECK(complaint("=== a\n<ir_version: 8>\n(float[2,] x) => () {}") != "");
  const std::string deep(200, '(');
  std::string type = "x";
  for (int i = 0; i < 200; ++i) type = "seq(" + type + ")";
  CHECK(complaint("=== a\n<ir_version: 8>\n(" + type + " v) => () {}") ==
        "line 3: nested too deeply");
}

TEST_CASE("models have versions, domains and functions") {
  const pb::ModelProto m = model(R"(
<ir_version: 10, opset_import: ["": 21, "d.e": 2], producer_name: "p", producer_version: "1",
 domain: "dom", model_version: 3, doc_string: "doc", metadata_props: ["k": "v"]>
"a graph" (float[N,?,3] x) => (y) <float[2] w = {1, 2}, int64[] inner> { y = d.e.F:fast(x, "", w) }
<domain: "d.e", overload: "fast", opset_import: ["": 21]>
F <alpha, beta: float = 1> (float a, b, c) => (r) <float t> { r = Elu <alpha: float = @alpha> (a) }
)");
  CHECK(m.ir_version() == 10);
  CHECK(m.opset_import(1).domain() == "d.e");
  CHECK(m.opset_import(1).version() == 2);
  CHECK(m.producer_name() + m.producer_version() + m.domain() + m.doc_string() == "p1domdoc");
  CHECK(m.metadata_props(0).value() == "v");
  CHECK(m.graph().name() == "a graph");
  const auto& shape = m.graph().input(0).type().tensor_type().shape();
  CHECK(shape.dim(0).dim_param() == "N");
  CHECK(shape.dim(1).value_case() == pb::TensorShapeProto::Dimension::VALUE_NOT_SET);
  CHECK(shape.dim(2).dim_value() == 3);
  CHECK_FALSE(m.graph().output(0).has_type());
  CHECK(m.graph().initializer(0).name() == "w");
  CHECK_FALSE(m.graph().value_info(0).type().tensor_type().has_shape());
  const pb::NodeProto& call = m.graph().node(0);
  CHECK(call.domain() + "|" + call.op_type() + "|" + call.overload() == "d.e|F|fast");
  CHECK(call.input(1).empty());
  const pb::FunctionProto& f = m.functions(0);
  CHECK(f.overload() == "fast");
  CHECK(f.attribute(0) == "alpha");
  CHECK(f.attribute_proto(0).f() == 1.0f);
  CHECK((f.input_size() == 3 && f.value_info(0).name() == "a" && f.value_info(1).name() == "t"));
  CHECK(f.node(0).attribute(0).ref_attr_name() == "alpha");
}

TEST_CASE("a graph without a name is called like its case") {
  CHECK(graph("() => () {}").name() == "c");
  CHECK(graph("named () => () {}").name() == "named");
}

TEST_CASE("types are those of ONNX") {
  const auto type = [](const std::string& text) {
    return graph("(" + text + " x) => () {}").input(0).type();
  };
  CHECK(type("float").tensor_type().shape().dim_size() == 0);
  CHECK(type("float").tensor_type().has_shape());
  CHECK_FALSE(type("float[]").tensor_type().has_shape());
  CHECK(type("bfloat16[\"a b\"]").tensor_type().shape().dim(0).dim_param() == "a b");
  CHECK(type("seq(float[])").sequence_type().elem_type().tensor_type().elem_type() == 1);
  CHECK(type("optional(seq(string[]))").optional_type().elem_type().has_sequence_type());
  CHECK(type("sparse_tensor(double[3])").sparse_tensor_type().elem_type() == 11);
  CHECK(type("map(int64, seq(map(string, float)))").map_type().key_type() == 7);
  CHECK(type("opaque(a.b, c)").opaque_type().domain() == "a.b");
  CHECK(type("opaque(c)").opaque_type().name() == "c");
}

TEST_CASE("nodes leave out names") {
  const pb::NodeProto n = node("[\"the node\"] , z = Op (, x, )");
  CHECK(n.name() == "the node");
  CHECK((n.output_size() == 2 && n.output(0).empty() && n.output(1) == "z"));
  CHECK((n.input_size() == 3 && n.input(0).empty() && n.input(1) == "x"));
  CHECK(node("= Op (x) <axis = 1>").attribute(0).i() == 1);
  CHECK(node("y = Op ()").output(0) == "y");
}

TEST_CASE("attributes have the type of their value") {
  CHECK(attribute("a = 3").type() == pb::AttributeProto::INT);
  CHECK(attribute("a = -3.0").f() == -3.0f);
  CHECK(attribute("a: float = 3").f() == 3.0f);
  CHECK(attribute("a = 1e-3").type() == pb::AttributeProto::FLOAT);
  CHECK(std::isinf(attribute("a = -inf").f()));
  CHECK(std::isinf(attribute("a = inf").f()));
  CHECK(std::isnan(attribute("a = nan").f()));
  CHECK(attribute("a = \"\\x00\\\\\"").s() == std::string("\0\\", 2));
  CHECK(attribute("a = [1, 2]").ints(1) == 2);
  CHECK(attribute("a = [1.0, inf]").floats_size() == 2);
  CHECK(attribute("a: floats = [1, 2]").floats(1) == 2.0f);
  CHECK(attribute("a: strings = []").type() == pb::AttributeProto::STRINGS);
  CHECK(attribute("a = [\"x\", \"y\"]").strings(1) == "y");
  CHECK(attribute("a = float[2] {1, 2}").t().dims(0) == 2);
  CHECK(attribute("a = int64 w = {1}").t().name() == "w");
  CHECK(attribute("a = [float {1}, int64 {2}]").tensors(1).data_type() == 7);
  CHECK(attribute("a = float[2]").tp().tensor_type().elem_type() == 1);
  CHECK(attribute("a = [seq(float[]), float]").type_protos_size() == 2);
  CHECK(attribute("a = sparse_tensor(float[5]) {float[1] {2}, int64[1] {3}}")
            .sparse_tensor()
            .dims(0) == 5);
  CHECK(attribute("a = body (float x) => (y) { y = Abs(x) }").g().name() == "body");
  CHECK(attribute("a = [() => () {}, b () => () {}]").graphs(1).name() == "b");
  CHECK(attribute("a: graphs = [\"b c\" () => () {}]").graphs(0).name() == "b c");
}

TEST_CASE("attributes that are none") {
  const auto wrong = [](const std::string& text) {
    return complaint("=== c\n<ir_version: 8>() => () { y = Op <" + text + "> () }");
  };
  CHECK(wrong("a = []") == "line 2: an empty list needs a type: name: ints = []");
  CHECK(wrong("a = [1, 2.5]") == "line 2: the values of a list have one type");
  CHECK(wrong("a: ints = [@b]") == "line 2: a reference cannot be in a list");
  CHECK(wrong("a: int = 2.5") == "line 2: the value has another type");
  CHECK(wrong("a: number = 2") == "line 2: unknown type of attribute number");
  CHECK(wrong("a = 99999999999999999999") == "line 2: bad number 99999999999999999999");
}

TEST_CASE("numbers of every element type") {
  CHECK(elements<float>("float[3] {1, -0.5, 1e-45}") == std::vector<float>{1, -0.5f, 1e-45f});
  CHECK(elements<std::uint32_t>("float[4] {-0, inf, nan, 0x7f800001}") ==
        Words{0x80000000u, 0x7f800000u, 0x7fc00000u, 0x7f800001u});
  CHECK(elements<double>("double[2] {0.1, -inf}")[0] == 0.1);
  CHECK(elements<std::uint16_t>("float16[3] {1, 65504, 0x7c01}") ==
        std::vector<std::uint16_t>{0x3c00, 0x7bff, 0x7c01});
  CHECK(elements<std::uint16_t>("bfloat16[1] {1}") == std::vector<std::uint16_t>{0x3f80});
  CHECK(elements<std::uint8_t>("float8e4m3fn[2] {1, 0x7f}") == Bytes{0x38, 0x7f});
  CHECK(elements<std::uint8_t>("float8e4m3fnuz[1] {1}") == Bytes{0x40});
  CHECK(elements<std::uint8_t>("float8e5m2[1] {1}") == Bytes{0x3c});
  CHECK(elements<std::uint8_t>("float8e5m2fnuz[1] {1}") == Bytes{0x40});
  CHECK(elements<std::uint8_t>("float8e8m0[1] {2}") == Bytes{0x80});
  CHECK(elements<std::uint8_t>("float4e2m1[3] {0.5, -6, 1}") == Bytes{0xf1, 0x02});
  CHECK(elements<std::uint8_t>("int4[3] {-8, 7, -1}") == Bytes{0x78, 0x0f});
  CHECK(elements<std::uint8_t>("uint2[5] {0, 1, 2, 3, 3}") == Bytes{0xe4, 0x03});
  CHECK(elements<std::uint8_t>("bool[2] {0, 1}") == Bytes{0, 1});
  CHECK(elements<std::int8_t>("int8[2] {-128, 127}") == std::vector<std::int8_t>{-128, 127});
  CHECK(elements<std::uint64_t>("uint64 {18446744073709551615}")[0] == ~std::uint64_t{0});
  CHECK(elements<float>("complex64[1] {1, 2}") == std::vector<float>{1, 2});
  CHECK(value("string[2] {\"a\", \"\\xff\"}").string_data(1) == "\xff");
  CHECK(value("float[2,0] x = {}").dims(1) == 0);
}

TEST_CASE("values that are none") {
  CHECK(value_complaint("float[2] {1}") == "line 4: 4 bytes for 2 elements");
  CHECK(value_complaint("string[2] {\"a\"}") == "line 4: 1 strings for 2 elements");
  CHECK(value_complaint("int8 {128}") == "line 4: 128 is out of range");
  CHECK(value_complaint("uint4 {16}") == "line 4: 16 is out of range");
  CHECK(value_complaint("int2 {2}") == "line 4: 2 is out of range");
  CHECK(value_complaint("bool {2}") == "line 4: 2 is out of range");
  CHECK(value_complaint("float {one}") == "line 4: bad number one");
  CHECK(value_complaint("float[N] {1}") == "line 4: a value needs a fixed shape");
  CHECK(value_complaint("float[] {1}") == "line 4: a value needs a shape");
  CHECK(value_complaint("float[9999999999999] = full(1)") ==
        "line 4: too many elements for a text");
  CHECK(value_complaint("float[99999999999,99999999999] {}") == "line 4: size overflows 64 bits");
  CHECK(value_complaint("tensor {1}") == "line 4: unknown type tensor");
  CHECK(value_complaint("float x 1") == "line 4: expected '='");
}

TEST_CASE("many elements are random or equal") {
  // As numpy.random.RandomState(7).uniform(-2, 2, 3).astype("float32") prints them.
  CHECK(elements<float>("float[3] = uniform(7, -2, 2)") ==
        std::vector<float>{-1.6947669f, 1.1196752f, -0.24636307f});
  CHECK(elements<double>("double[1] = uniform(7, -2, 2)")[0] == static_cast<double>(-1.6947669f));
  // As numpy.random.RandomState(7).randint(-128, 127, 4) prints them.
  CHECK(elements<std::int8_t>("int8[4] = integers(7, -128, 127)") ==
        std::vector<std::int8_t>{47, 68, -103, 118});
  CHECK(elements<std::int64_t>("int64[2] = full(-3)") == std::vector<std::int64_t>{-3, -3});
  CHECK(value_complaint("int8 = uniform(7, 0, 1)") == "line 4: uniform is for floats");
  CHECK(value_complaint("float = integers(7, 0, 1)") == "line 4: integers is for integers");
  CHECK(value_complaint("float = uniform(7, 1, 1)") == "line 4: the range is empty");
  CHECK(value_complaint("int8[9] = integers(7, 0, 1000)").find("is out of range") !=
        std::string::npos);
  CHECK(value_complaint("int64 = integers(7, 0, 9999999999)") == "line 4: the range is too large");
}

TEST_CASE("many elements are in a side file") {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("onnxc-side-{}", getpid());
  std::filesystem::create_directories(folder);
  const std::string file = (folder / "c.data").string();
  std::ofstream(file, std::ios::binary) << std::string("\1\0\2\0\3\0\xff", 7);
  const auto value_of = [&](const std::string& text) {
    pb::TensorProto tensor;
    const auto cases =
        parse_case_file("=== c\n<ir_version: 8>\n() => () {}\nexpect " + text, folder);
    REQUIRE(tensor.ParseFromString(cases.at(0).data_sets.at(0).outputs.at(0)));
    return tensor;
  };
  CHECK(value_of("int16[3] x = file(c.data, 0)").raw_data() == std::string("\1\0\2\0\3\0", 6));
  CHECK(value_of("int8[2] x = file(c.data, 5)").raw_data() == std::string("\0\xff", 2));
  CHECK(value_of("float[0] x = file(c.data, 7)").raw_data().empty());
  CHECK(value_of("int4[2] x = file(c.data, 0)").raw_data() == "\1");  // a byte each, then packed
  const auto complaint_of = [&](const std::string& text) -> std::string {
    try {
      value_of(text);
    } catch (const ParseError& e) {
      return e.what();
    }
    return "";
  };
  const std::string short_of = "line 4: " + file + " has 7 bytes, the elements need ";
  CHECK(complaint_of("int16[3] x = file(c.data, 2)") == short_of + "6 from byte 2 on");
  CHECK(complaint_of("int8[1] x = file(c.data, 8)") == short_of + "1 from byte 8 on");
  CHECK(complaint_of("int8[9] x = file(c.data, 18446744073709551615)") ==
        short_of + "9 from byte 18446744073709551615 on");
  CHECK(complaint_of("int8[1] x = file(none.data, 0)") ==
        "line 4: cannot read the side file " + (folder / "none.data").string());
  CHECK(complaint_of("int8[1] x = file(.., 0)").find("cannot read") != std::string::npos);
  CHECK(complaint_of("int8[1] x = file(c.data)") == "line 4: expected ','");
  CHECK(complaint_of("int8[1] x = file(c.data, -1)") == "line 4: bad number -1");
  CHECK(complaint_of("string[1] x = file(c.data, 0)") == "line 4: expected '{'");
  std::filesystem::remove_all(folder);
}

TEST_CASE("a case is like another one") {
  const std::string base =
      "=== base\n<ir_version: 8, opset_import: [\"\": 16]>\n(float x) => (float y) { y = Abs(x) }\n"
      "rtol 0 atol 0.5\ngiven float x = {-1}\nexpect float y = {1}\n# of the next one\n";
  const auto second = [&](const std::string& text) {
    return parse_case_file(base + "=== other\n" + text).at(1);
  };
  const auto op = [](const TextCase& c) {
    pb::ModelProto model;
    REQUIRE(model.ParseFromString(c.model));
    CHECK(model.graph().name() == "other");
    return model.graph().node(0).op_type();
  };
  const TextCase first = parse_case_file(base).at(0);
  const TextCase negative = second("like base, \"Abs\" -> \"Neg\"");
  CHECK(op(negative) == "Neg");
  CHECK(negative.rtol == 0.0);
  CHECK(negative.data_sets.at(0).outputs == first.data_sets.at(0).outputs);
  const TextCase expects = second(
      "like base, \"Abs\" -> \"Neg\", \"Neg(x)\" -> \"Exp(x)\"\natol 1\nexpect float y = {2}");
  CHECK(op(expects) == "Exp");
  CHECK(expects.atol == 1.0);
  CHECK(expects.rtol == 0.0);
  CHECK(expects.data_sets.at(0).inputs == first.data_sets.at(0).inputs);
  CHECK(expects.data_sets.at(0).outputs != first.data_sets.at(0).outputs);
  const TextCase gives = second("like base\ngiven float x = {3} expect float y = {3}");
  CHECK(op(gives) == "Abs");
  CHECK(gives.data_sets.size() == 1);
  CHECK(gives.data_sets.at(0).inputs != first.data_sets.at(0).inputs);
  // The types of the data stay: these are another model's.
  CHECK(second("like base, \"float x\" -> \"float[N] x\"").data_sets.at(0).inputs ==
        first.data_sets.at(0).inputs);
  const TextCase refused = second("like base, \"Abs\" -> \"Absent\"\nrefused \"unknown\"");
  CHECK(refused.refusal == "unknown");
  CHECK(refused.data_sets.empty());
  // Of a later case, too.
  CHECK(parse_case_file("=== early\nlike base\n" + base).at(0).model.find("Abs") !=
        std::string::npos);
  const auto complaint_of = [&](const std::string& text) {
    return complaint(base + "=== other\n" + text + "\n=== third\nlike other");
  };
  CHECK(complaint_of("like none") == "line 9: no case 'none'");
  CHECK(complaint_of("like base, \"Exp\" -> \"Abs\"") == "line 9: 'base' has no \"Exp\"");
  CHECK(complaint_of("like base, \"\" -> \"Abs\"") == "line 9: 'base' has no \"\"");
  CHECK(complaint_of("like base") == "line 11: 'other' is like another case itself");
  CHECK(complaint_of("like base, \"(x)\" -> \"(\"") ==
        "line 10: in the text of 'base': line 2: expected a name");
  CHECK(complaint(base + "given float x = {1} expect float y = {1}\n=== other\nlike base\n" +
                  "expect float y = {1}")
            .find("is for one set of data") != std::string::npos);
  CHECK(complaint_of("like base\nstep").find("no steps of its own") != std::string::npos);
}

TEST_CASE("values next to tensors") {
  const auto sparse = value<pb::SparseTensorProto>(
      "sparse_tensor(float[2,3]) s = {float[2] {1, 2}, int64[2] {0, 5}}");
  CHECK((sparse.dims(1) == 3 && sparse.values().name() == "s" && sparse.indices().dims(0) == 2));
  const auto sequence =
      value<pb::SequenceProto>("seq(float[]) s = [float[1] {1}, float[2] {1, 2}]");
  CHECK((sequence.name() == "s" && sequence.tensor_values(1).dims(0) == 2));
  CHECK(value<pb::SequenceProto>("seq(float[]) s = []").tensor_values_size() == 0);
  const auto map = value<pb::MapProto>("map(string, double) m = {\"a\": 1, \"b\": 0.5}");
  CHECK((map.string_keys(1) == "b" && map.values().tensor_values(1).data_type() == 11));
  CHECK(value<pb::MapProto>("map(int64, string) m = {3: \"x\"}").keys(0) == 3);
  const auto maps =
      value<pb::SequenceProto>("seq(map(int64, float)) s = [map(int64, float) {1: 2}]");
  CHECK((maps.elem_type() == 4 && maps.map_values(0).keys(0) == 1));
  const auto optional = value<pb::OptionalProto>("optional(float[1]) o = {float[1] {1}}");
  CHECK((optional.elem_type() == 1 && optional.tensor_value().dims(0) == 1));
  CHECK_FALSE(value<pb::OptionalProto>("optional(float) o = {}").has_tensor_value());
  const auto nested = value<pb::OptionalProto>("optional(seq(float)) o = {seq(float) [float {1}]}");
  CHECK(nested.sequence_value().tensor_values_size() == 1);
}

TEST_CASE("sparse initialisers") {
  const auto g = graph("() => () <sparse_tensor(float[4]) w = {float[1] {1}, int64[1] {2}}> {}");
  CHECK(g.sparse_initializer(0).values().name() == "w");
  const auto with_default = graph("(float[1] x = {2}) => () {}");
  CHECK((with_default.input_size() == 1 && with_default.initializer(0).name() == "x"));
}

// Hostile and broken models, built in memory, and the exact messages they get.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/diagnostics/broken_models.hpp"

namespace {

using namespace onnxc;
using namespace onnxc::broken;

const Case kCases[] = {
    {"no ir_version", [](pb::ModelProto& m) { m.clear_ir_version(); },
     "m: error[bad-ir-version]: ir_version is missing"},
    {"ir_version from the future", [](pb::ModelProto& m) { m.set_ir_version(99); },
     "m: error[bad-ir-version]: ir_version 99 is outside [1, 14]"},
    {"no opset", [](pb::ModelProto& m) { m.clear_opset_import(); },
     "m: error[bad-opset]: opset_import is missing"},
    {"opset from the future",
     [](pb::ModelProto& m) { m.mutable_opset_import(0)->set_version(1000); },
     "m: error[bad-opset]: opset_import: domain \"ai.onnx\": opset version 1000 is newer than 28, "
     "the newest known"},
    {"unknown operator, escaped",
     [](pb::ModelProto& m) { m.mutable_graph()->mutable_node(0)->set_op_type("A*/\n"); },
     "m: error[unknown-operator]: node 0 \"n0\" (A*/?): operator A*/\\x0a is unknown; "
     "--operator A*/\\x0a=HEADER gives it a function, a model-local function would, too"},
    {"undefined input",
     [](pb::ModelProto& m) { m.mutable_graph()->mutable_node(0)->set_input(0, "nope"); },
     "m: error[undefined-name]: node \"n0\" (\"Relu\"), input 0 \"nope\": is not made by any node, "
     "input or initializer"},
    {"too many inputs",
     [](pb::ModelProto& m) { m.mutable_graph()->mutable_node(0)->add_input("x"); },
     "m: error[bad-arity]: node 0 \"n0\" (Relu-14): 2 inputs, Relu takes 1"},
    {"unknown attribute",
     [](pb::ModelProto& m) { add_int(m.mutable_graph()->mutable_node(0), "bogus", 1); },
     "m: error[unknown-attribute]: node 0 \"n0\" (Relu-14), attribute \"bogus\": Relu-14 has no "
     "such "
     "attribute"},
    {"attribute without a type, as in the first version",
     [](pb::ModelProto& m) {
       m.set_ir_version(1);
       m.clear_opset_import();
       add_int(m.mutable_graph()->mutable_node(0), "k", 1)->clear_type();
     },
     "m: error[unknown-attribute]: node 0 \"n0\" (Relu-1), attribute \"k\": Relu-1 has no such "
     "attribute"},
    {"attribute with two values",
     [](pb::ModelProto& m) { add_int(m.mutable_graph()->mutable_node(0), "k", 1)->set_f(1); },
     "m: error[bad-attribute]: node 0 \"n0\" (Relu-14), attribute \"k\": has two values (FLOAT and "
     "INT)"},
    {"reference outside of a function",
     [](pb::ModelProto& m) {
       add_int(m.mutable_graph()->mutable_node(0), "k", 1)->set_ref_attr_name("p");
     },
     "m: error[bad-attribute]: node 0 \"n0\" (Relu-14), attribute \"k\": ref_attr_name \"p\" "
     "outside "
     "of a function"},
    {"data together with a reference",
     [](pb::ModelProto& m) {
       pb::FunctionProto* f = add_function(m, "f", "LeakyRelu", "");
       f->add_attribute("slope");
       add_int(f->mutable_node(0), "alpha", 1)->set_ref_attr_name("slope");
       call_function(m, "f");
     },
     "m: error[bad-attribute]: node 0 \"n0\" (loc:f), function loc::f, node 0 "
     "(LeakyRelu-16), attribute \"alpha\": holds data together with ref_attr_name \"slope\""},
    {"name made twice",
     [](pb::ModelProto& m) { add_node(m.mutable_graph(), "Relu", {"x"}, {"y"}); },
     "m: error[duplicate-name]: node \"n1\", output \"y\": is defined twice; it is also made by "
     "node "
     "\"n0\""},
    {"cycle",
     [](pb::ModelProto& m) {
       m.mutable_graph()->mutable_node(0)->set_input(0, "t");
       add_node(m.mutable_graph(), "Relu", {"y"}, {"t"});
     },
     "m: error[cycle]: graph: cycle node \"n0\" -> node \"n1\" -> node \"n0\""},
    {"not sorted",
     [](pb::ModelProto& m) {
       m.mutable_graph()->mutable_node(0)->set_input(0, "t");
       add_node(m.mutable_graph(), "Relu", {"x"}, {"t"});
     },
     "m: warning[not-sorted]: graph: node \"n0\" uses \"t\" before node \"n1\" makes it"},
    {"output that nothing makes",
     [](pb::ModelProto& m) { set_float_type(m.mutable_graph()->add_output(), "z"); },
     "m: error[undefined-name]: output \"z\": is not made by any node, input or initializer"},
    {"negative extent",
     [](pb::ModelProto& m) { set_float_type(m.mutable_graph()->add_input(), "q", -3); },
     "m: error[bad-type]: input \"q\": dim 0 is -3"},
    {"extents that overflow",
     [](pb::ModelProto& m) {
       auto* info = m.mutable_graph()->add_input();
       set_float_type(info, "q", std::int64_t{1} << 40);
       auto* shape = info->mutable_type()->mutable_tensor_type()->mutable_shape();
       shape->add_dim()->set_dim_value(std::int64_t{1} << 40);
     },
     "m: error[bad-type]: input \"q\": element count overflow: [1099511627776,1099511627776]"},
    {"raw data too short", [](pb::ModelProto& m) { add_weights(m)->set_raw_data("1234"); },
     "m: error[bad-tensor]: initializer \"w\", tensor \"w\": raw_data has 4 bytes, needs 8"},
    {"typed data too short", [](pb::ModelProto& m) { add_weights(m)->add_float_data(1); },
     "m: error[bad-tensor]: initializer \"w\", tensor \"w\": float_data has 1 value, needs 2"},
    {"data in two fields",
     [](pb::ModelProto& m) {
       auto* w = add_weights(m);
       w->set_raw_data("12345678");
       w->add_float_data(1);
     },
     "m: error[bad-tensor]: initializer \"w\", tensor \"w\": two data fields: raw_data and "
     "float_data"},
    {"int8 out of range",
     [](pb::ModelProto& m) {
       auto* w = add_weights(m);
       w->set_data_type(pb::TensorProto::INT8);
       w->add_int32_data(1);
       w->add_int32_data(300);
     },
     "m: error[bad-tensor]: initializer \"w\", tensor \"w\": value 300 does not fit int8"},
    {"sparse bomb",
     [](pb::ModelProto& m) {
       auto* s = m.mutable_graph()->add_sparse_initializer();
       s->add_dims(std::int64_t{1} << 40);
       s->mutable_values()->set_name("s");
       s->mutable_values()->set_data_type(pb::TensorProto::FLOAT);
       s->mutable_values()->add_dims(1);
       s->mutable_values()->add_float_data(1);
       s->mutable_indices()->set_data_type(pb::TensorProto::INT64);
       s->mutable_indices()->add_dims(1);
       s->mutable_indices()->add_int64_data(7);
     },
     "m: error[too-large]: sparse_initializer \"s\": dense size over the limit of 1073741824 "
     "bytes for all sparse tensors; --max-constants"},
    {"external data elsewhere", [](pb::ModelProto& m) { set_location(add_weights(m), "../w.bin"); },
     "m: error[external-data]: initializer \"w\", tensor \"w\", external_data location "
     "\"../w.bin\": "
     "leads through a symbolic link or out of the model's folder"},
    {"external data by a full path",
     [](pb::ModelProto& m) { set_location(add_weights(m), "/etc/passwd"); },
     "m: error[external-data]: initializer \"w\", tensor \"w\", external_data location "
     "\"/etc/passwd\": is no relative path"},
    {"external data missing", [](pb::ModelProto& m) { set_location(add_weights(m), "no.bin"); },
     "m: error[external-data]: initializer \"w\", tensor \"w\", external_data location \"no.bin\": "
     "cannot be opened: No such file or directory"},
    {"function that calls itself",
     [](pb::ModelProto& m) {
       add_function(m, "f", "g", "loc");
       add_function(m, "g", "f", "loc");
       call_function(m, "f");
     },
     "m: error[recursive-function]: function loc::f: calls itself: loc::f -> loc::g -> loc::f"},
    {"function defined twice",
     [](pb::ModelProto& m) {
       add_function(m, "f", "Relu", "");
       add_function(m, "f", "Relu", "");
       call_function(m, "f");
     },
     "m: error[duplicate-function]: function loc::f: is defined twice"},
    {"functions that explode",
     [](pb::ModelProto& m) {
       for (int i = 0; i < 40; ++i) {
         auto* f = add_function(m, fmt::format("f{}", i), fmt::format("f{}", i + 1), "loc");
         f->mutable_node(0)->set_output(0, "t");
         pb::NodeProto* again = f->add_node();
         *again = f->node(0);
         again->set_input(0, "t");
         again->set_output(0, "b");
       }
       add_function(m, "f40", "Relu", "");
       call_function(m, "f0");
     },
     "m: error[too-large]: functions: expanded node count over the limit of 1000000; "
     "--max-nodes"},
};

}  // namespace

TEST_CASE("broken models get exact messages", "[import]") {
  for (const Case& c : kCases) {
    INFO(c.name);
    const TemporaryFolder folder;
    pb::ModelProto m = relu_model();
    c.spoil(m);
    write(folder / "m.onnx", m.SerializeAsString());
    const auto messages = import_messages(folder / "m.onnx");
    REQUIRE(!messages.empty());
    CHECK(messages[0] == c.message);
  }
}

TEST_CASE("all problems are reported in one run", "[import]") {
  const TemporaryFolder folder;
  pb::ModelProto m = relu_model();
  m.set_ir_version(99);
  m.mutable_graph()->mutable_node(0)->set_input(0, "nope");
  add_node(m.mutable_graph(), "Frobnicate", {"x"}, {"t"});
  add_weights(m);
  write(folder / "m.onnx", m.SerializeAsString());
  CHECK(import_messages(folder / "m.onnx").size() == 4);
}

TEST_CASE("files that are no models say what they are", "[import]") {
  const TemporaryFolder folder;
  const std::pair<std::string, const char*> cases[] = {
      {"", ""},
      {std::string("\x3a\x05\x0a", 3),
       "m: error[not-onnx]: not an ONNX model: byte offset 0, field graph: length 5 goes past the "
       "end (1 bytes are left): the file is cut "
       "off, or no such file"},
      {std::string("\x00\x00", 2),
       "m: error[not-onnx]: not an ONNX model: byte offset 0: field number 0"},
      {"version https://git-lfs.github.com/spec/v1\n",
       "m: error[not-onnx]: this is a git-lfs pointer: fetch the file with `git lfs pull`"},
      {"ir_version: 8\ngraph { }\n",
       "m: error[not-onnx]: this is ONNX in protobuf's text format; onnxc reads the binary format"},
  };
  for (const auto& [bytes, message] : cases) {
    write(folder / "m.onnx", bytes);
    const auto messages = import_messages(folder / "m.onnx");
    REQUIRE(messages.size() == 1);
    if (*message) CHECK(messages[0] == message);
  }
  CHECK_THROWS_AS(import_messages(folder / "none.onnx"), FatalError);
}

TEST_CASE("external data: links are refused, checksums are verified", "[import]") {
  const TemporaryFolder folder;
  write(folder / "real.bin", "12345678");
  fs::create_symlink("real.bin", folder / "link.bin");
  pb::ModelProto m = relu_model();
  pb::TensorProto* w = add_weights(m);
  set_location(w, "link.bin");
  write(folder / "m.onnx", m.SerializeAsString());
  CHECK(import_messages(folder / "m.onnx").size() == 1);
  w->mutable_external_data(0)->set_value("real.bin");
  auto* checksum = w->add_external_data();
  checksum->set_key("checksum");
  checksum->set_value("7c222fb2927d828af22f592134e8932480637c0d");
  write(folder / "m.onnx", m.SerializeAsString());
  CHECK(import_messages(folder / "m.onnx").empty());
  checksum->set_value("0000000000000000000000000000000000000000");
  write(folder / "m.onnx", m.SerializeAsString());
  CHECK(import_messages(folder / "m.onnx").size() == 1);
}

TEST_CASE("function attributes: given, by default and through two calls", "[import]") {
  const TemporaryFolder folder;
  pb::ModelProto m = relu_model();
  pb::FunctionProto* inner = add_function(m, "inner", "LeakyRelu", "");
  auto* used = inner->mutable_node(0)->add_attribute();
  used->set_name("alpha");
  used->set_type(pb::AttributeProto::FLOAT);
  used->set_ref_attr_name("slope");
  inner->add_attribute("slope");
  pb::FunctionProto* outer = add_function(m, "outer", "inner", "loc");
  auto* passed = outer->mutable_node(0)->add_attribute();
  passed->set_name("slope");
  passed->set_type(pb::AttributeProto::FLOAT);
  passed->set_ref_attr_name("slant");
  auto* fallback = outer->add_attribute_proto();
  fallback->set_name("slant");
  fallback->set_type(pb::AttributeProto::FLOAT);
  fallback->set_f(0.25f);
  call_function(m, "outer");
  const auto alpha = [&] {
    write(folder / "m.onnx", m.SerializeAsString());
    Diagnostics diagnostics;
    const Model model = import_model((folder / "m.onnx").string(), diagnostics);
    CHECK(!diagnostics.has_errors());
    REQUIRE(model.graph.nodes.size() == 1);
    CHECK(model.graph.outputs[0]->name == "y");
    return std::get<float>(*model.graph.nodes[0]->find("alpha"));
  };
  CHECK(alpha() == 0.25f);
  auto* given = m.mutable_graph()->mutable_node(0)->add_attribute();
  given->set_name("slant");
  given->set_type(pb::AttributeProto::FLOAT);
  given->set_f(0.5f);
  CHECK(alpha() == 0.5f);
}

TEST_CASE("every prefix of a model is read without a crash", "[import]") {
  const TemporaryFolder folder;
  pb::ModelProto m = relu_model();
  add_weights(m)->set_raw_data("12345678");
  const std::string whole = m.SerializeAsString();
  for (std::size_t n = 0; n < whole.size(); ++n) {
    write(folder / "m.onnx", whole.substr(0, n));
    import_messages(folder / "m.onnx");
    std::string flipped = whole;
    flipped[n] = static_cast<char>(~flipped[n]);
    write(folder / "m.onnx", flipped);
    import_messages(folder / "m.onnx");
  }
}

namespace {

// An If in the then_branch of an If, and so on.
void nest(pb::GraphProto* graph, int depth) {
  pb::NodeProto* node = add_node(graph, "If", {"c"}, {"y" + std::to_string(depth)});
  for (const char* name : {"then_branch", "else_branch"}) {
    pb::AttributeProto* a = node->add_attribute();
    a->set_name(name);
    a->set_type(pb::AttributeProto::GRAPH);
    pb::GraphProto* body = a->mutable_g();
    body->set_name("b");
    const bool deeper = depth > 1 && name[0] == 't';
    const std::string result = deeper ? "y" + std::to_string(depth - 1) : "z";
    set_float_type(body->add_output(), result);
    deeper ? nest(body, depth - 1) : void(add_node(body, "Neg", {"x"}, {"z"}));
  }
}

}  // namespace

TEST_CASE("subgraphs may be nested deeper than protobuf's own limit on messages", "[import]") {
  const TemporaryFolder folder;
  pb::ModelProto m = relu_model();
  m.mutable_graph()->clear_node();
  pb::ValueInfoProto* c = m.mutable_graph()->add_input();
  c->set_name("c");
  c->mutable_type()->mutable_tensor_type()->set_elem_type(pb::TensorProto::BOOL);
  c->mutable_type()->mutable_tensor_type()->mutable_shape();
  nest(m.mutable_graph(), 40);
  m.mutable_graph()->mutable_output(0)->set_name("y40");
  write(folder / "m.onnx", m.SerializeAsString());
  CHECK(import_messages(folder / "m.onnx").size() == 1);
  ImportOptions options;
  options.limits.depth = 40;
  Diagnostics diagnostics;
  import_model((folder / "m.onnx").string(), diagnostics, options);
  CHECK(diagnostics.all().empty());
}

TEST_CASE("of metadata, what is given twice is named, and nothing else", "[import]") {
  const TemporaryFolder folder;
  pb::ModelProto m = relu_model();
  for (const char* key : {"j", "k", "k", "l"}) m.add_metadata_props()->set_key(key);
  write(folder / "m.onnx", m.SerializeAsString());
  CHECK(import_messages(folder / "m.onnx") ==
        std::vector<std::string>{
            "m: warning[metadata]: metadata_props \"k\": is given twice; the first is used"});
}

TEST_CASE("numbers of uint32 are as many as the tensor has", "[import]") {
  const TemporaryFolder folder;
  pb::ModelProto m = relu_model();
  pb::TensorProto* w = add_weights(m);
  w->set_data_type(pb::TensorProto::UINT32);
  for (const std::uint64_t number : {1, 2, 3}) w->add_uint64_data(number);
  write(folder / "m.onnx", m.SerializeAsString());
  CHECK(import_messages(folder / "m.onnx") ==
        std::vector<std::string>{"m: error[bad-tensor]: initializer \"w\", tensor \"w\": "
                                 "uint64_data has 3 values, needs 2"});
}

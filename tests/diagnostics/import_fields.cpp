// Every field of a model that can be wrong by itself, and the message that names it.
#include <catch2/catch.hpp>
#include <span>

#include "compiler/onnx/read/tolerated.hpp"
#include "tests/diagnostics/broken_models.hpp"

namespace {

using namespace onnxc;
using namespace onnxc::broken;

pb::NodeProto* first_node(pb::ModelProto& m) { return m.mutable_graph()->mutable_node(0); }

pb::AttributeProto* add_attribute(pb::ModelProto& m, const std::string& name) {
  pb::AttributeProto* a = first_node(m)->add_attribute();
  a->set_name(name);
  return a;
}

void add_key(pb::TensorProto* t, const std::string& key, const std::string& value) {
  auto* pair = t->add_external_data();
  pair->set_key(key);
  pair->set_value(value);
}

// Two values of a sparse vector of 5 elements.
pb::SparseTensorProto* add_sparse(pb::ModelProto& m, std::int64_t first, std::int64_t second) {
  auto* s = m.mutable_graph()->add_sparse_initializer();
  s->add_dims(5);
  s->mutable_values()->set_name("s");
  s->mutable_values()->set_data_type(pb::TensorProto::FLOAT);
  s->mutable_values()->add_dims(2);
  s->mutable_values()->add_float_data(1);
  s->mutable_values()->add_float_data(2);
  s->mutable_indices()->set_data_type(pb::TensorProto::INT64);
  s->mutable_indices()->add_dims(2);
  s->mutable_indices()->add_int64_data(first);
  s->mutable_indices()->add_int64_data(second);
  return s;
}

// The same with a place for each axis.
pb::SparseTensorProto* add_sparse_matrix(pb::ModelProto& m, std::int64_t column) {
  auto* s = add_sparse(m, 0, 1);
  s->add_dims(3);
  s->mutable_indices()->add_dims(2);
  s->mutable_indices()->add_int64_data(4);
  s->mutable_indices()->add_int64_data(column);
  return s;
}

pb::TensorProto* add_tensor(pb::ModelProto& m, int type) {
  pb::TensorProto* t = add_weights(m);
  t->set_data_type(type);
  return t;
}

// y = f(x), with a function of one node.
pb::FunctionProto* call_one(pb::ModelProto& m) {
  call_function(m, "f");
  return add_function(m, "f", "LeakyRelu", "");
}

void refer(pb::FunctionProto* f, const std::string& parameter) {
  auto* a = f->mutable_node(0)->add_attribute();
  a->set_name("alpha");
  a->set_type(pb::AttributeProto::FLOAT);
  a->set_ref_attr_name(parameter);
}

struct Broken {
  const char* name;
  std::function<void(pb::ModelProto&)> spoil;
  const char* message;  // one of the messages
};

const Broken kAttributes[] = {
    {"no type", [](auto& m) { add_attribute(m, "k")->set_f(1); },
     "m: error[bad-attribute]: node 0 \"n0\" (Relu-14), attribute \"k\": has no type, which "
     "ir_version 8 demands"},
    {"nothing", [](auto& m) { add_attribute(m, "k"); },
     "m: error[bad-attribute]: node 0 \"n0\" (Relu-14), attribute \"k\": has neither a type nor a "
     "value"},
    {"another value",
     [](auto& m) { add_int(first_node(m), "k", 1)->set_type(pb::AttributeProto::FLOAT); },
     "m: error[bad-attribute]: node 0 \"n0\" (Relu-14), attribute \"k\": has the type FLOAT but "
     "holds INT"},
    {"lists of sparse tensors",
     [](auto& m) {
       add_attribute(m, "k")->add_sparse_tensors();
       first_node(m)->mutable_attribute(0)->set_type(pb::AttributeProto::SPARSE_TENSORS);
     },
     "m: error[bad-attribute]: node 0 \"n0\" (Relu-14), attribute \"k\": lists of sparse tensors "
     "are not supported"},
    {"given twice",
     [](auto& m) {
       add_int(first_node(m), "k", 1);
       add_int(first_node(m), "k", 2);
     },
     "m: error[bad-attribute]: node 0 \"n0\" (Relu-14), attribute \"k\": is given twice"},
    {"of another kind",
     [](auto& m) {
       first_node(m)->set_op_type("Elu");
       add_int(first_node(m), "alpha", 2);
     },
     "m: error[bad-attribute]: node 0 \"n0\" (Elu-6), attribute \"alpha\": must be float, is int"},
    {"missing", [](auto& m) { first_node(m)->set_op_type("Cast"); },
     "m: error[missing-attribute]: node 0 \"n0\" (Cast-13), attribute \"to\": is required"},
    {"of another version",
     [](auto& m) {
       m.mutable_opset_import(0)->set_version(13);
       first_node(m)->set_op_type("Squeeze");
       add_int(first_node(m), "axes", 0)->set_type(pb::AttributeProto::INTS);
       first_node(m)->mutable_attribute(0)->clear_i();
       first_node(m)->mutable_attribute(0)->add_ints(0);
     },
     "m: error[unknown-attribute]: node 0 \"n0\" (Squeeze-13), attribute \"axes\": Squeeze-13 has "
     "no such attribute; another version has"},
    {"no parameter of the function",
     [](auto& m) {
       call_one(m);
       add_int(first_node(m), "k", 1);
     },
     "m: error[unknown-attribute]: node 0 \"n0\" (loc:f), attribute \"k\": is no parameter of "
     "loc::f"},
    {"a reference to no parameter", [](auto& m) { refer(call_one(m), "slope"); },
     "m: error[bad-attribute]: node 0 \"n0\" (loc:f), function loc::f, node 0 (LeakyRelu-16), "
     "attribute \"alpha\": ref_attr_name \"slope\" is no parameter of loc::f"},
    {"a default that is a reference",
     [](auto& m) {
       auto* f = call_one(m);
       refer(f, "slope");
       auto* fallback = f->add_attribute_proto();
       fallback->set_name("slope");
       fallback->set_ref_attr_name("other");
     },
     "m: error[bad-attribute]: node 0 \"n0\" (loc:f), function loc::f, node 0 (LeakyRelu-16), "
     "attribute \"alpha\": the default of \"slope\" is a reference"},
};

const Broken kNodes[] = {
    {"a required input left out",
     [](auto& m) {
       first_node(m)->set_op_type("Add");
       first_node(m)->set_input(0, "");
       first_node(m)->add_input("x");
     },
     "m: error[missing-input]: node 0 \"n0\" (Add-14), input 0 (A): is required"},
    {"too few inputs",
     [](auto& m) {
       first_node(m)->set_op_type("Max");
       first_node(m)->clear_input();
     },
     "m: error[bad-arity]: node 0 \"n0\" (Max-13): 0 inputs, Max takes at least 1"},
    {"no output of a node that is upgraded",
     [](auto& m) {
       m.mutable_opset_import(0)->set_version(11);
       first_node(m)->set_op_type("Softmax");
       first_node(m)->clear_output();
     },
     "m: error[bad-arity]: node 0 \"n0\" (Softmax-11): 0 outputs, Softmax takes 1"},
    {"an input that older versions require",
     [](auto& m) {
       m.mutable_opset_import(0)->set_version(7);
       first_node(m)->set_op_type("Dropout");
       first_node(m)->clear_input();
     },
     "m: error[missing-input]: node 0 \"n0\" (Dropout-7), input 0 (data): is required"},
    {"an operand before broadcasting",
     [](auto& m) {
       m.mutable_opset_import(0)->set_version(6);
       first_node(m)->set_op_type("Add");
       add_int(first_node(m), "broadcast", 1);
     },
     "m: error[missing-input]: node 0 \"n0\" (Add-6), input 1 (B): is required"},
    {"scales of Resize-10",
     [](auto& m) {
       m.mutable_opset_import(0)->set_version(10);
       first_node(m)->set_op_type("Resize");
     },
     "m: error[invalid-node]: node 0 \"n0\" (Resize-10), input 1 (scales): is required"},
    {"scales of Upsample-9",
     [](auto& m) {
       m.mutable_opset_import(0)->set_version(9);
       first_node(m)->set_op_type("Upsample");
     },
     "m: error[invalid-node]: node 0 \"n0\" (Upsample-9), input 1 (scales): is required"},
    {"no op_type", [](auto& m) { first_node(m)->clear_op_type(); },
     "m: error[invalid-node]: node 0 \"n0\" (): op_type is empty"},
    {"a domain without opset",
     [](auto& m) {
       first_node(m)->set_domain("ai.onnx.ml");
       first_node(m)->set_op_type("Scaler");
     },
     "m: error[bad-opset]: node 0 \"n0\" (ai.onnx.ml:Scaler): opset_import lacks the domain "
     "\"ai.onnx.ml\""},
    {"a later operator",
     [](auto& m) {
       m.mutable_opset_import(0)->set_version(8);
       first_node(m)->set_op_type("Erf");
     },
     "m: error[too-new-operator]: node 0 \"n0\" (Erf): Erf needs opset 9, model has 8"},
    {"a removed operator", [](auto& m) { first_node(m)->set_op_type("Upsample"); },
     "m: error[removed-operator]: node 0 \"n0\" (Upsample): Upsample was removed in opset 10, "
     "model has 17"},
    {"two opsets", [](auto& m) { m.add_opset_import()->set_version(16); },
     "m: error[bad-opset]: opset_import: domain \"ai.onnx\" is given twice, with versions 17 and "
     "16"},
    {"opset 0", [](auto& m) { m.mutable_opset_import(0)->set_version(0); },
     "m: error[bad-opset]: opset_import: domain \"ai.onnx\": opset version 0"},
    {"two Constants of one output",
     [](auto& m) {
       for (int i : {1, 2}) {
         auto* a = add_node(m.mutable_graph(), "Constant", {}, {"c"})->add_attribute();
         a->set_name("value_int");
         a->set_type(pb::AttributeProto::INT);
         a->set_i(i);
       }
     },
     "m: warning[duplicate-name]: node \"n1\": another Constant node makes \"c\" too; the last is "
     "used"},
    {"a call with too many inputs",
     [](auto& m) {
       call_one(m);
       first_node(m)->add_input("x");
     },
     "m: error[bad-arity]: node 0 \"n0\" (loc:f): 2 inputs and 1 outputs, loc::f takes 1 and gives "
     "1"},
    {"a function with one input twice", [](auto& m) { call_one(m)->add_input("a"); },
     "m: error[duplicate-name]: node 0 \"n0\" (loc:f), function loc::f, input \"a\": is given "
     "twice"},
    {"a function that makes no result",
     [](auto& m) { call_one(m)->mutable_node(0)->set_output(0, "other"); },
     "m: error[undefined-name]: node 0 \"n0\" (loc:f), function loc::f, output \"b\": is not made "
     "by any node of the function"},
};

const Broken kNames[] = {
    {"an initializer without a name", [](auto& m) { add_weights(m)->clear_name(); },
     "m: error[bad-name]: initializer 0: has no name"},
    {"an initializer given twice",
     [](auto& m) {
       add_weights(m)->set_raw_data("12345678");
       add_weights(m)->set_raw_data("12345678");
     },
     "m: error[duplicate-name]: initializer \"w\": is given twice; it is also an initializer"},
    {"an input without a name", [](auto& m) { m.mutable_graph()->mutable_input(0)->clear_name(); },
     "m: error[bad-name]: input 0: has no name"},
    {"an input given twice", [](auto& m) { set_float_type(m.mutable_graph()->add_input(), "x"); },
     "m: error[duplicate-name]: input \"x\": is given twice"},
    {"an output without a name",
     [](auto& m) { m.mutable_graph()->mutable_output(0)->clear_name(); },
     "m: error[bad-name]: output 0: has no name"},
    {"an output given twice", [](auto& m) { set_float_type(m.mutable_graph()->add_output(), "y"); },
     "m: error[duplicate-name]: output \"y\": is given twice"},
    {"metadata given twice",
     [](auto& m) {
       for (int i = 0; i < 2; ++i) m.add_metadata_props()->set_key("k");
     },
     "m: warning[metadata]: metadata_props \"k\": is given twice; the first is used"},
};

const Broken kTypes[] = {
    {"an input without a type", [](auto& m) { m.mutable_graph()->mutable_input(0)->clear_type(); },
     "m: error[bad-type]: input \"x\": has no type"},
    {"no element type",
     [](auto& m) {
       m.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(
           99);
     },
     "m: error[bad-type]: input \"x\": elem_type 99 is no element type"},
    {"too many axes",
     [](auto& m) {
       auto* shape = m.mutable_graph()
                         ->mutable_input(0)
                         ->mutable_type()
                         ->mutable_tensor_type()
                         ->mutable_shape();
       for (int i = 0; i < 100; ++i) shape->add_dim()->set_dim_value(1);
     },
     "m: error[too-large]: input \"x\": rank 101 is over the limit of 64; --max-rank"},
    {"an opaque type",
     [](auto& m) { m.mutable_graph()->mutable_input(0)->mutable_type()->mutable_opaque_type(); },
     "m: error[unsupported-type]: input \"x\": opaque types are not supported"},
    {"a sequence of nothing",
     [](auto& m) {
       m.mutable_graph()
           ->mutable_input(0)
           ->mutable_type()
           ->mutable_sequence_type()
           ->mutable_elem_type();
     },
     "m: error[bad-type]: input \"x\": has no type"},
    {"a deep type",
     [](auto& m) {
       pb::TypeProto* type = m.mutable_graph()->mutable_input(0)->mutable_type();
       for (int i = 0; i < 40; ++i) type = type->mutable_optional_type()->mutable_elem_type();
       type->mutable_tensor_type()->set_elem_type(1);
     },
     "m: error[bad-type]: input \"x\": type nesting depth over 32; --max-depth"},
    {"an input unlike its initializer",
     [](auto& m) {
       add_weights(m)->set_raw_data("12345678");
       set_float_type(m.mutable_graph()->add_input(), "w", 3);
     },
     "m: error[bad-type]: input \"w\": is declared f32[3], its initializer is f32[2]"},
    {"an output unlike its input",
     [](auto& m) { set_float_type(m.mutable_graph()->add_output(), "x", 3); },
     "m: error[bad-type]: output \"x\": is declared f32[3], is f32[2]"},
    {"value_info of no element type",
     [](auto& m) {
       auto* info = m.mutable_graph()->add_value_info();
       set_float_type(info, "t");
       info->mutable_type()->mutable_tensor_type()->set_elem_type(-1);
     },
     "m: error[bad-type]: value_info \"t\": elem_type -1 is no element type"},
};

const Broken kTensors[] = {
    {"no element type", [](auto& m) { add_tensor(m, 77); },
     "m: error[bad-tensor]: initializer \"w\", tensor \"w\": data_type 77 is no element type"},
    {"too many axes",
     [](auto& m) {
       auto* t = add_weights(m);
       for (int i = 0; i < 100; ++i) t->add_dims(1);
     },
     "m: error[too-large]: initializer \"w\", tensor \"w\": rank 101 is over the limit of 64; "
     "--max-rank"},
    {"a negative extent", [](auto& m) { add_weights(m)->set_dims(0, -2); },
     "m: error[bad-tensor]: initializer \"w\", tensor \"w\": dim 0 is -2"},
    {"elements that overflow",
     [](auto& m) {
       auto* t = add_weights(m);
       t->set_dims(0, std::int64_t{1} << 40);
       t->add_dims(std::int64_t{1} << 40);
     },
     "m: error[bad-tensor]: initializer \"w\", tensor \"w\": element count overflow"},
    {"bytes that overflow", [](auto& m) { add_weights(m)->set_dims(0, std::int64_t{1} << 62); },
     "m: error[bad-tensor]: initializer \"w\", tensor \"w\": byte size overflow"},
    {"a segment", [](auto& m) { add_weights(m)->mutable_segment()->set_begin(0); },
     "m: error[bad-tensor]: initializer \"w\", tensor \"w\": has a segment; data in pieces is not "
     "supported"},
    {"no data", [](auto& m) { add_weights(m); },
     "m: error[bad-tensor]: initializer \"w\", tensor \"w\": has no data, needs 2 values"},
    {"data of no elements",
     [](auto& m) {
       auto* t = add_weights(m);
       t->set_dims(0, 0);
       t->set_raw_data("1234");
     },
     "m: error[bad-tensor]: initializer \"w\", tensor \"w\": 0 elements, but data in raw_data"},
    {"strings in raw data",
     [](auto& m) { add_tensor(m, pb::TensorProto::STRING)->set_raw_data("ab"); },
     "m: error[bad-tensor]: initializer \"w\", tensor \"w\": strings in raw_data"},
    {"strings in a file",
     [](auto& m) { set_location(add_tensor(m, pb::TensorProto::STRING), "w"); },
     "m: error[bad-tensor]: initializer \"w\", tensor \"w\": strings in external data"},
    {"strings that are none", [](auto& m) { add_weights(m)->add_string_data("a"); },
     "m: error[bad-tensor]: initializer \"w\", tensor \"w\": string_data holds no float"},
    {"floats in another field",
     [](auto& m) {
       auto* t = add_weights(m);
       for (int i = 0; i < 2; ++i) t->add_double_data(1);
     },
     "m: error[bad-tensor]: initializer \"w\", tensor \"w\": double_data holds no float"},
    {"floats as integers",
     [](auto& m) {
       auto* t = add_weights(m);
       for (int i = 0; i < 2; ++i) t->add_int32_data(1);
     },
     "m: error[bad-tensor]: initializer \"w\", tensor \"w\": int32_data holds no float"},
    {"uint32 out of range",
     [](auto& m) {
       auto* t = add_tensor(m, pb::TensorProto::UINT32);
       for (int i = 0; i < 2; ++i) t->add_uint64_data(std::uint64_t{1} << 33);
     },
     "m: error[bad-tensor]: initializer \"w\", tensor \"w\": value 8589934592 does not fit uint32"},
    {"a bool of 2",
     [](auto& m) {
       auto* t = add_tensor(m, pb::TensorProto::BOOL);
       for (int i = 1; i < 3; ++i) t->add_int32_data(i);
     },
     "m: error[bad-tensor]: initializer \"w\", tensor \"w\": value 2 does not fit bool"},
};

const Broken kSparse[] = {
    {"an index outside", [](auto& m) { add_sparse(m, 0, 5); },
     "m: error[bad-tensor]: sparse_initializer \"s\", sparse tensor \"s\": index 5 is outside [0, "
     "5)"},
    {"an index before", [](auto& m) { add_sparse(m, -1, 2); },
     "m: error[bad-tensor]: sparse_initializer \"s\", sparse tensor \"s\": index -1 is outside [0, "
     "5)"},
    {"indices not sorted", [](auto& m) { add_sparse(m, 3, 2); },
     "m: error[bad-tensor]: sparse_initializer \"s\", sparse tensor \"s\": indices are not sorted, "
     "or some are repeated"},
    {"a column outside", [](auto& m) { add_sparse_matrix(m, 3); },
     "m: error[bad-tensor]: sparse_initializer \"s\", sparse tensor \"s\": index 3 is outside [0, "
     "3) of dim 1"},
    {"indices of another shape",
     [](auto& m) {
       auto* indices = add_sparse(m, 0, 1)->mutable_indices();
       indices->set_dims(0, 1);
       indices->mutable_int64_data()->RemoveLast();
     },
     "m: error[bad-tensor]: sparse_initializer \"s\", sparse tensor \"s\": indices must have the "
     "shape [2] or [2,1]"},
    {"values of rank 2", [](auto& m) { add_sparse(m, 0, 1)->mutable_values()->add_dims(1); },
     "m: error[bad-tensor]: sparse_initializer \"s\", sparse tensor \"s\": values must have rank "
     "1"},
    {"indices of int32",
     [](auto& m) {
       auto* indices = add_sparse(m, 0, 1)->mutable_indices();
       indices->set_data_type(pb::TensorProto::INT32);
       indices->clear_int64_data();
       for (int i = 0; i < 2; ++i) indices->add_int32_data(i);
     },
     "m: error[bad-tensor]: sparse_initializer \"s\", sparse tensor \"s\": indices must be int64"},
    {"an extent of 0", [](auto& m) { add_sparse(m, 0, 1)->set_dims(0, 0); },
     "m: error[bad-tensor]: sparse_initializer \"s\", sparse tensor \"s\": dim 0 is not positive"},
    {"no extents", [](auto& m) { add_sparse(m, 0, 1)->clear_dims(); },
     "m: error[bad-tensor]: sparse_initializer \"s\", sparse tensor \"s\": has no dims"},
    {"elements that overflow",
     [](auto& m) {
       auto* s = add_sparse(m, 0, 1);
       for (int i = 0; i < 2; ++i) s->add_dims(std::int64_t{1} << 40);
     },
     "m: error[bad-tensor]: sparse_initializer \"s\", sparse tensor \"s\": element count overflow"},
};

// What import does without.
const Broken kTolerated[] = {
    {"zeros as pads next to auto_pad",
     [](auto& m) {
       pb::AttributeProto* pads = add_attribute(m, "pads");
       for (int i = 0; i < 4; ++i) pads->add_ints(0);
       add_attribute(m, "auto_pad")->set_s("VALID");
     },
     "m: warning[tolerated-node]: graph, node 0, attribute \"pads\": cannot be used with auto_pad; "
     "the zeros have no effect"},
    {"two nodes of one name",
     [](auto& m) { add_node(m.mutable_graph(), "Relu", {"x"}, {"z"})->set_name("n0"); },
     "m: warning[duplicate-node-name]: graph, node 1 \"n0\": node 0 has this name, too"},
    {"functions before their version",
     [](auto& m) {
       m.set_ir_version(7);
       call_one(m);
     },
     "m: warning[early-functions]: functions need ir_version 8, the model says 7"},
    {"a graph without a name", [](auto& m) { m.mutable_graph()->clear_name(); },
     "m: warning[unnamed-graph]: graph: has no name"},
    {"an initializer that is no input",
     [](auto& m) {
       m.set_ir_version(3);
       add_weights(m)->set_raw_data("12345678");
     },
     "m: warning[initializer-not-input]: initializer \"w\": is no graph input, which ir_version 3 "
     "demands"},
    {"a port without a shape",
     [](auto& m) {
       m.mutable_graph()->mutable_output(0)->mutable_type()->mutable_tensor_type()->clear_shape();
     },
     "m: warning[missing-shape]: output \"y\": has no shape"},
};

// The file w.bin has 8 bytes.
const Broken kExternal[] = {
    {"no location",
     [](auto& m) {
       auto* w = add_weights(m);
       set_location(w, "w.bin");
       w->clear_external_data();
     },
     "m: error[external-data]: initializer \"w\", tensor \"w\", external_data location: missing"},
    {"a key given twice",
     [](auto& m) {
       auto* w = add_weights(m);
       set_location(w, "w.bin");
       add_key(w, "location", "w.bin");
     },
     "m: error[external-data]: initializer \"w\", tensor \"w\", external_data location: given "
     "twice"},
    {"an unknown key",
     [](auto& m) {
       auto* w = add_weights(m);
       set_location(w, "w.bin");
       add_key(w, "colour", "red");
     },
     "m: warning[external-data]: tensor \"w\": external_data key \"colour\" is not used"},
    {"an offset that is no number",
     [](auto& m) {
       auto* w = add_weights(m);
       set_location(w, "w.bin");
       add_key(w, "offset", "-1");
     },
     "m: error[external-data]: initializer \"w\", tensor \"w\", external_data offset: \"-1\" is no "
     "decimal number of 64 bits"},
    {"an offset past the end",
     [](auto& m) {
       auto* w = add_weights(m);
       set_location(w, "w.bin");
       add_key(w, "offset", "9");
     },
     "m: error[external-data]: initializer \"w\", tensor \"w\", external_data offset: 9 is past "
     "the end of the file (8 bytes)"},
    {"too few bytes",
     [](auto& m) {
       auto* w = add_weights(m);
       set_location(w, "w.bin");
       add_key(w, "offset", "4");
     },
     "m: error[external-data]: initializer \"w\", tensor \"w\", external_data location \"w.bin\": "
     "needs 8 bytes at offset 4, the file has 8"},
    {"another length",
     [](auto& m) {
       auto* w = add_weights(m);
       set_location(w, "w.bin");
       add_key(w, "length", "4");
     },
     "m: error[external-data]: initializer \"w\", tensor \"w\", external_data length: 4 bytes, but "
     "the tensor needs 8"},
    {"a folder", [](auto& m) { set_location(add_weights(m), "."); },
     "m: error[external-data]: initializer \"w\", tensor \"w\", external_data location \".\": "
     "names no file"},
    {"a location with a zero byte",
     [](auto& m) { set_location(add_weights(m), std::string("w\0b", 3)); },
     "m: error[external-data]: initializer \"w\", tensor \"w\", external_data location "
     "\"w\\x00b\": is no relative path"},
};

void check_all(std::span<const Broken> cases) {
  for (const Broken& c : cases) {
    INFO(c.name);
    const TemporaryFolder folder;
    write(folder / "w.bin", "12345678");
    pb::ModelProto m = relu_model();
    c.spoil(m);
    write(folder / "m.onnx", m.SerializeAsString());
    CHECK_THAT(import_messages(folder / "m.onnx"),
               Catch::Matchers::VectorContains(std::string(c.message)));
  }
}

}  // namespace

TEST_CASE("attributes that are wrong", "[import]") { check_all(kAttributes); }
TEST_CASE("nodes that are wrong", "[import]") { check_all(kNodes); }
TEST_CASE("names that are wrong", "[import]") { check_all(kNames); }
TEST_CASE("types that are wrong", "[import]") { check_all(kTypes); }
TEST_CASE("tensors that are wrong", "[import]") { check_all(kTensors); }
TEST_CASE("sparse tensors that are wrong", "[import]") { check_all(kSparse); }
TEST_CASE("what a strict reader would refuse", "[import]") {
  for (const Broken& c : kTolerated) {
    INFO(c.name);
    pb::ModelProto m = relu_model();
    c.spoil(m);
    Diagnostics diagnostics;
    report_tolerated(m, diagnostics);
    REQUIRE(diagnostics.all().size() == 1);
    CHECK(diagnostics.format(diagnostics.all()[0], "m") == c.message);
  }
}
TEST_CASE("external data that are wrong", "[import]") { check_all(kExternal); }

TEST_CASE("a large file of external data with two hard links", "[import]") {
  const TemporaryFolder folder;
  const std::size_t size = 1 << 17;
  write(folder / "w.bin", std::string(size, '\0'));
  fs::create_hard_link(folder / "w.bin", folder / "v.bin");
  pb::ModelProto m = relu_model();
  pb::TensorProto* w = add_weights(m);
  w->set_dims(0, static_cast<std::int64_t>(size / 4));
  set_location(w, "w.bin");
  write(folder / "m.onnx", m.SerializeAsString());
  CHECK(import_messages(folder / "m.onnx") ==
        std::vector<std::string>{
            "m: warning[external-data]: external_data location \"w.bin\" has 2 hard links"});
}

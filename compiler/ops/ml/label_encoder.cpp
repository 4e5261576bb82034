// LabelEncoder: maps elements through a table.
#include <numeric>

#include "compiler/ops/infer.hpp"
#include "compiler/ops/ml/lookup_table.hpp"

namespace onnxc::ops::label_encoder {
namespace {

struct Table {
  Tensor keys, values, fallback;
};

Tensor of_strings(std::vector<std::string> words) {
  const auto count = static_cast<std::int64_t>(words.size());
  return Tensor({count}, std::move(words));
}
Tensor of_ints(const std::vector<std::int64_t>& ints) { return Tensor::ints(ints); }
Tensor of_floats(const std::vector<float>& floats) {
  return Tensor::of<float>(ElemType::float32, {static_cast<std::int64_t>(floats.size())}, floats);
}

// The attribute of prefix_tensor, _strings, _int64s and _floats that the node has.
Tensor side(const NodeView& n, const std::string& prefix) {
  std::vector<Tensor> given;
  if (n.has_attr(prefix + "_tensor")) given.push_back(n.attr_tensor(prefix + "_tensor"));
  if (n.has_attr(prefix + "_strings"))
    given.push_back(of_strings(n.attr_strings(prefix + "_strings")));
  if (n.has_attr(prefix + "_int64s")) given.push_back(of_ints(n.attr_ints(prefix + "_int64s")));
  if (n.has_attr(prefix + "_floats")) given.push_back(of_floats(n.attr_floats(prefix + "_floats")));
  n.require(given.size() == 1, "attribute \"" + prefix + "_*\"", "{} of them are there, not one",
            given.size());
  n.require(given[0].dims().size() == 1, "attribute \"" + prefix + "_tensor\"", "is not 1-D");
  return given[0];
}

Tensor fallback_of(const NodeView& n, ElemType elem) {
  if (n.has_attr("default_tensor")) {
    const Tensor& t = n.attr_tensor("default_tensor");
    n.require(t.elem() == elem && t.size() == 1, "attribute \"default_tensor\"",
              "is not one element of the type of the values");
    return t.reshaped({1});
  }
  switch (elem) {
    case ElemType::string:
      return of_strings({n.attr_string("default_string")});
    case ElemType::int64:
      return of_ints({n.attr_int("default_int64")});
    case ElemType::float32:
      return of_floats({n.attr_float("default_float")});
    case ElemType::float64:
      return Tensor::of<double>(elem, {1}, std::vector<double>{-0.0});
    case ElemType::int32:
      return Tensor::of<std::int32_t>(elem, {1}, std::vector<std::int32_t>{-1});
    case ElemType::int16:
      return Tensor::of<std::int16_t>(elem, {1}, std::vector<std::int16_t>{-1});
    default:
      n.fail("attribute \"values_tensor\"", "has elements that cannot be labels");
  }
}

// Version 1: positions in a list of strings.
Table classes(const NodeView& n) {
  Table t;
  t.keys = of_strings(n.attr_strings("classes_strings"));
  std::vector<std::int64_t> places(static_cast<std::size_t>(t.keys.size()));
  std::iota(places.begin(), places.end(), 0);
  t.values = of_ints(places);
  if (n.input(0).elem != ElemType::string) std::swap(t.keys, t.values);
  return t;
}

Table table_of(const NodeView& n) {
  Table t;
  if (n.has_attr("classes_strings") || n.node().version == 1)
    t = classes(n);
  else
    t = {side(n, "keys"), side(n, "values"), {}};
  n.require(t.keys.elem() == n.input(0).elem, "input 0 \"X\"", "is of {}, the keys of {}",
            info(n.input(0).elem).onnx_name, info(t.keys.elem()).onnx_name);
  n.require(t.keys.size() == t.values.size(), "attribute \"keys_*\"", "{} keys for {} values",
            t.keys.size(), t.values.size());
  t.fallback = fallback_of(n, t.values.elem());
  return t;
}

void infer(Infer& n) { n.output(0, table_of(n).values.elem(), n.input(0).shape); }

void lower(Lower& n) {
  const Table t = table_of(n);
  lower_lookup(n, t.keys, t.values, t.fallback);
}

constexpr Op rows[] = {{
    .name = "LabelEncoder",
    .domain = "ai.onnx.ml",
    .versions = "1 2 4",
    .inputs = "X:T1",
    .outputs = "Y:T2",
    .types = "T1: string int64 float int32 int16 double; T2: string int64 float int32 int16 double",
    .attributes = "classes_strings:strings@1 default_string:string=_Unused default_int64:int=-1 "
                  "default_float:float=-0.0@2- keys_strings:strings@2- keys_int64s:ints@2- "
                  "keys_floats:floats@2- values_strings:strings@2- values_int64s:ints@2- "
                  "values_floats:floats@2- keys_tensor:tensor@4- values_tensor:tensor@4- "
                  "default_tensor:tensor@4-",
    .infer = infer,
    .lower = lower,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::label_encoder

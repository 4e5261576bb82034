// LabelEncoder: maps elements through a table.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"

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

// The one of prefix_tensor, _strings, _int64s and _floats that is there.
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

// Version 1: places in a list of strings.
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
  if (n.has_attr("classes_strings"))
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

// Order of the elements of a tensor, given their numbers.
using Before = std::function<bool(std::size_t, std::size_t)>;

Before order_of(const Tensor& t) {
  if (t.elem() == ElemType::string)
    return [&t](std::size_t i, std::size_t j) { return t.strings()[i] < t.strings()[j]; };
  if (is_integer(t.elem()))
    return [ints = t.to_int64s()](std::size_t i, std::size_t j) { return ints[i] < ints[j]; };
  return [&t](std::size_t i, std::size_t j) {
    const double a = t.number(static_cast<std::int64_t>(i));
    const double b = t.number(static_cast<std::int64_t>(j));
    return a < b || (!std::isnan(a) && std::isnan(b));
  };
}

// Every key once, in order; of equal ones the last counts.
std::vector<std::size_t> sorted(const Tensor& keys) {
  const Before before = order_of(keys);
  std::vector<std::size_t> order(static_cast<std::size_t>(keys.size())), out;
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), before);
  for (std::size_t k = 0; k < order.size(); ++k)
    if (k + 1 == order.size() || before(order[k], order[k + 1])) out.push_back(order[k]);
  return out;
}

// The chosen elements of t, and those of `rest` behind them.
Tensor pick(const Tensor& t, const std::vector<std::size_t>& chosen, const Tensor* rest) {
  const auto count = static_cast<std::int64_t>(chosen.size()) + (rest ? 1 : 0);
  if (t.elem() == ElemType::string) {
    std::vector<std::string> words;
    for (std::size_t i : chosen) words.push_back(t.strings()[i]);
    if (rest) words.push_back(rest->strings()[0]);
    return Tensor({count}, std::move(words));
  }
  const std::size_t width = elem_bytes(t.elem());
  std::vector<std::byte> bytes;
  const auto append = [&](std::span<const std::byte> from, std::size_t i) {
    const auto element = from.subspan(i * width, width);
    bytes.insert(bytes.end(), element.begin(), element.end());
  };
  for (std::size_t i : chosen) append(t.bytes(), i);
  if (rest) append(rest->bytes(), 0);
  return {t.elem(), {count}, Blob::owned(std::move(bytes))};
}

void lower(Lower& n) {
  const Table t = table_of(n);
  const std::vector<std::size_t> order = sorted(t.keys);
  n.call("label_encoder")
      .dim("count", product(n.shape(0)))
      .dim("entries", static_cast<std::int64_t>(order.size()))
      .in(0)
      .read(n.constant(pick(t.keys, order, nullptr), "keys"))
      .read(n.constant(pick(t.values, order, &t.fallback), "values"))
      .out(0);
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

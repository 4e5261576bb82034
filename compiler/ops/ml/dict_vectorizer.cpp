// DictVectorizer: the values of a map in the order of a vocabulary.
#include <algorithm>
#include <numeric>

#include "compiler/kernels/sequence_calls.hpp"
#include "compiler/ops/ml/classes.hpp"

namespace onnxc::ops::dict_vectorizer {
namespace {

Tensor vocabulary(const NodeView& n) {
  const bool words =
      n.has_attr("string_vocabulary") && !n.attr_strings("string_vocabulary").empty();
  const bool numbers = n.has_attr("int64_vocabulary") && !n.attr_ints("int64_vocabulary").empty();
  n.require(words != numbers, "attribute \"*_vocabulary\"", "{} vocabularies", words ? 2 : 0);
  return words ? strings_tensor(n.attr_strings("string_vocabulary"))
               : Tensor::ints(n.attr_ints("int64_vocabulary"));
}

void infer(Infer& n) {
  const Tensor keys = vocabulary(n);
  const Type& map = n.input(0);
  if (map.kind == Type::Kind::unknown) return;
  n.require(map.kind == Type::Kind::map, "input 0 \"X\"", "is {}, no map", map.to_string());
  n.require(map.elem == keys.elem(), "input 0 \"X\"", "has keys of {}, the vocabulary is of {}",
            info(map.elem).onnx_name, info(keys.elem()).onnx_name);
  constexpr TypeMask kValues = mask_of(ElemType::int64) | mask_of(ElemType::float32) |
                               mask_of(ElemType::float64) | mask_of(ElemType::string);
  n.require(contains(kValues, map.element->elem), "input 0 \"X\"",
            "has values of {}, needs int64, float, double or string",
            info(map.element->elem).onnx_name);
  n.output(0, map.element->elem, Shape{1, keys.size()});
}

// The positions in a list, sorted by its entries.
template <class T>
std::vector<std::int32_t> sorted_places(const std::vector<T>& list) {
  std::vector<std::int32_t> places(list.size());
  std::iota(places.begin(), places.end(), 0);
  std::stable_sort(places.begin(), places.end(), [&](std::int32_t a, std::int32_t b) {
    return list[static_cast<std::size_t>(a)] < list[static_cast<std::size_t>(b)];
  });
  return places;
}

template <class T>
std::vector<T> picked(const std::vector<T>& list, const std::vector<std::int32_t>& places) {
  std::vector<T> out;
  for (std::int32_t i : places) out.push_back(list[static_cast<std::size_t>(i)]);
  return out;
}

void lower(Lower& n) {
  Tensor keys = vocabulary(n);
  const std::int64_t count = keys.size();
  std::vector<std::int32_t> places;
  if (keys.elem() == ElemType::string) {
    places = sorted_places(keys.strings());
    keys = strings_tensor(picked(keys.strings(), places));
  } else {
    const std::vector<std::int64_t> numbers = keys.to_int64s();
    places = sorted_places(numbers);
    keys = Tensor::ints(picked(numbers, places));
  }
  n.call("dict_vectorizer", DictVectorizerShape<Dim>{count})
      .in(0)
      .read(n.constant(keys, "vocabulary"))
      .read(n.constant(Tensor::of<std::int32_t>(ElemType::int32, {count}, places), "places"))
      .out(0);
}

constexpr Op rows[] = {{
    .name = "DictVectorizer",
    .domain = "ai.onnx.ml",
    .versions = "1",
    .inputs = "X:map(T)",
    .outputs = "Y:T",
    .types = "T: int64 float double string",
    .attributes = "int64_vocabulary:ints string_vocabulary:strings",
    .infer = infer,
    .lower = lower,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::dict_vectorizer

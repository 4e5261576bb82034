// CastMap: the values of a map by their keys, as a tensor.
#include "compiler/kernels/sequence_calls.hpp"
#include "compiler/ops/ml/classes.hpp"

namespace onnxc::ops::cast_map {
namespace {

ElemType result(const NodeView& n) {
  constexpr ElemType kTypes[] = {ElemType::float32, ElemType::string, ElemType::int64};
  return kTypes[one_of(n, "cast_to", {"TO_FLOAT", "TO_STRING", "TO_INT64"})];
}

bool is_sparse(const NodeView& n) { return one_of(n, "map_form", {"DENSE", "SPARSE"}) == 1; }

void infer(Infer& n) {
  const Type& map = n.input(0);
  n.require(map.kind == Type::Kind::unknown || map.kind == Type::Kind::map, "input 0 \"X\"",
            "is {}, no map", map.to_string());
  n.require(map.kind == Type::Kind::unknown || map.elem == ElemType::int64, "input 0 \"X\"",
            "has keys of {}, needs int64", info(map.elem).onnx_name);
  const ElemType value = map.element ? map.element->elem : ElemType::float32;
  n.require(value == ElemType::float32 || value == ElemType::string, "input 0 \"X\"",
            "has values of {}, needs float or string", info(value).onnx_name);
  const bool sparse = is_sparse(n);
  const std::int64_t most = n.attr_int("max_map");
  n.require(!sparse || most >= 1, "attribute \"max_map\"", "is {}", most);
  n.output(0, result(n), Shape{1, sparse ? Dim(most) : n.unknown_extent()});
}

// The value of missing keys.
Tensor nothing(ElemType elem) {
  if (elem == ElemType::string) return strings_tensor({"0.f"});
  return Tensor::zeros(elem, {1});
}

void lower(Lower& n) {
  const Shape& y = n.out_shape(0);
  const bool sparse = is_sparse(n);
  if (!sparse) n.call("cast_map_extents").in(0).extents(y);
  n.call("cast_map", CastMapShape<Dim>{y[1], sparse})
      .template_arg(n.input(0).element->elem)
      .in(0)
      .read(n.constant(nothing(n.out_elem(0)), "nothing"))
      .out(0)
      .heap();
}

constexpr Op rows[] = {{
    .name = "CastMap",
    .domain = "ai.onnx.ml",
    .versions = "1",
    .inputs = "X:map(T1)",
    .outputs = "Y:T2",
    .types = "T1: string float; T2: string float int64",
    .attributes = "cast_to:string=TO_FLOAT map_form:string=DENSE max_map:int=1",
    .infer = infer,
    .lower = lower,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::cast_map

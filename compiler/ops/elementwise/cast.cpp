// Cast; BitCast, which reinterprets bits; CastLike, Cast to the element type of input 1, and
// onnxc::ToFloat32, float16 and bfloat16 as float32, which become a Cast as soon as types are
// known.
#include "compiler/ops/elementwise/rows.hpp"

#include "compiler/kernels/shape_struct.hpp"
#include "templates/fn/cast.hpp"

namespace onnxc::ops::cast {
namespace {

bool is_float8(ElemType t) {
  return t == ElemType::float8e4m3fn || t == ElemType::float8e4m3fnuz ||
         t == ElemType::float8e5m2 || t == ElemType::float8e5m2fnuz;
}

// Cast-1 spelt the type, "FLOAT16", and so did the first writers of Cast-6.
void upgrade_cast(Upgrade& u) {
  const Attribute* to = u.node().find("to");
  const std::string* name = to ? std::get_if<std::string>(to) : nullptr;
  if (!name) return;
  std::string lower = *name;
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  const ElemType type = elem_type_from_name(lower);
  u.require(type != ElemType::undefined, "attribute \"to\"", "{} is no element type",
            quoted(*name));
  u.set("to", static_cast<std::int64_t>(type));
}

Rounding rounding_of(const NodeView& n) {
  const std::string& mode = n.attr_string("round_mode");
  n.require(mode == "up" || mode == "down" || mode == "nearest", "attribute \"round_mode\"",
            "{} is none of up, down, nearest", quoted(mode));
  return mode == "up" ? Rounding::up : mode == "down" ? Rounding::down : Rounding::nearest;
}

bool saturates(const NodeView& n) { return n.attr_int("saturate") != 0; }

// Casts of strings are not element-wise: CastText converts them, or there is nothing to do.
void become_text(Infer& n, ElemType to) {
  Node& node = n.mutable_node();
  const bool nothing = to == n.elem(0);
  node.op = nothing ? &get("Identity") : &get("CastText", "onnxc");
  if (nothing) node.attributes.clear();
  node.op->infer(n);
}

void carry_contents(Infer& n, ElemType to) {
  if (const auto contents = n.extents(0)) {
    if (has_contents(to)) n.output_extents(0, *contents);
    if (to == ElemType::float32 || to == ElemType::float64) n.output_before_rounding(0, *contents);
    return;
  }
  if (const auto contents = n.some_extents(0); contents && has_contents(to))
    return n.output_some_extents(0, *contents);
  const auto contents = n.before_rounding(0);
  if (!contents || !has_contents(to)) return;
  const auto exact = [&](const Dim& d) { return n.is_exact(d, n.elem(0)); };
  if (std::all_of(contents->begin(), contents->end(), exact)) n.output_extents(0, *contents);
}

void infer_cast(Infer& n) {
  const ElemType to = n.attr_elem_type("to");
  rounding_of(n);
  if (to == ElemType::complex64 || to == ElemType::complex128)
    n.fail("attribute \"to\"", "complex numbers cannot be cast");
  if (to == ElemType::string || n.elem(0) == ElemType::string) return become_text(n, to);
  if (to == n.elem(0)) {
    Node& node = n.mutable_node();
    node.op = &get("Identity");
    node.attributes.clear();
    return node.op->infer(n);
  }
  n.output(0, to, n.input(0).shape);
  carry_contents(n, to);
}

// Reads elements in a type that holds all their values. Folding casts from that type, so 4 * 24
// casts are compiled instead of 24 * 24.
template <class Wide>
using Widen = void (*)(const std::byte* x, std::size_t count, Wide* y);

template <class Wide>
void fold_through(Fold& n, Widen<Wide> widen) {
  const bool saturate = saturates(n);
  const Rounding rounding = rounding_of(n);
  const std::byte* x = n.in(0).bytes().data();
  const std::size_t size = static_cast<std::size_t>(n.in(0).size());
  const std::size_t bytes = elem_bytes(n.in(0).elem());
  TensorBuilder y(n.out_elem(0), n.out_dims(0));
  const bool known = with_any(n.out_elem(0), [&](auto tag) {
    using To = decltype(tag);
    std::array<Wide, 256> wide;
    for (std::size_t i = 0, count; i < size; i += count) {
      count = std::min(size - i, wide.size());
      widen(x + i * bytes, count, wide.data());
      std::transform(wide.data(), wide.data() + count, y.data<To>() + i, [&](Wide v) {
        if constexpr (std::is_same_v<To, float8e8m0>)
          return To::from(v, saturate, rounding);
        else
          return static_cast<To>(fn::cast<To>(v));
      });
    }
  });
  if (known) n.out(0, y.take());
}

void fold_cast(Fold& n) {
  // Rare: not worth compiling a second set of casts.
  if ((is_float8(n.out_elem(0)) && !saturates(n)) || !worth_folding(n)) return;
  with_any(n.in(0).elem(), [&](auto tag) {
    using From = decltype(tag);
    using Wide = wide_t<From>;
    fold_through<Wide>(n, [](const std::byte* x, std::size_t count, Wide* y) {
      const auto* from = reinterpret_cast<const From*>(x);
      std::transform(from, from + count, y,
                     [](From v) { return static_cast<Wide>(static_cast<compute_t<From>>(v)); });
    });
  });
}

ScalarFn scalar_cast(const Node& node) {
  const NodeView n(node);
  const ElemType to = n.attr_elem_type("to");
  if (to == ElemType::float8e8m0)
    return {.name = "cast_rounded",
            .literals = {type_literal(to), bool_literal(saturates(n)),
                         int_literal(static_cast<int>(rounding_of(n)))},
            .vectorises = false};
  if (is_float8(to) && !saturates(n))
    return {.name = "cast_unsaturated", .literals = {type_literal(to)}, .vectorises = false};
  return {.name = "cast", .literals = {type_literal(to)}, .vectorises = false};
}

void become(Infer& n, const char* op, std::optional<ElemType> to = std::nullopt) {
  Node& node = n.mutable_node();
  node.op = &get(op);
  if (to) node.attributes["to"] = static_cast<std::int64_t>(*to);
  node.inputs.resize(1);
  node.op->infer(n);
}

void infer_like(Infer& n) {
  if (n.input(1).is_tensor() && n.elem(1) != ElemType::undefined) become(n, "Cast", n.elem(1));
}

void infer_float32(Infer& n) {
  const ElemType elem = n.elem(0);
  if (elem == ElemType::undefined) return;
  const bool narrow = elem == ElemType::float16 || elem == ElemType::bfloat16;
  if (narrow)
    become(n, "Cast", ElemType::float32);
  else
    become(n, "Identity");
}

void infer_bit_cast(Infer& n) {
  const ElemType to = n.attr_elem_type("to");
  n.require(info(to).bits == info(n.elem(0)).bits && info(to).bits > 0, "attribute \"to\"",
            "{} is not as wide as {}", info(to).onnx_name, info(n.elem(0)).onnx_name);
  n.output(0, to, n.input(0).shape);
}

void fold_bit_cast(Fold& n) {
  if (n.out_elem(0) == ElemType::boolean || info(n.out_elem(0)).bits < 8) return;
  const auto bytes = n.in(0).bytes();
  n.out(0, {n.out_elem(0), n.out_dims(0), Blob::owned({bytes.begin(), bytes.end()})});
}

void lower_bit_cast(Lower& n) {
  n.call("bit_cast", CountShape<Dim>{product(n.out_shape(0))}).in(0).out(0);
}

bool to_same_type(const Node& n) { return n.inputs[0]->type.elem == n.outputs[0]->type.elem; }

constexpr Op rows[] = {
    elementwise(
        {.name = "Cast",
         .versions = "1 6 9 13 19 21 23 24 25",
         .inputs = "input:T1",
         .outputs = "output:any",
         .types = "T1: numeric bool string small",
         .attributes = "to:int!@6- to:string!@1-6 saturate:int=1@19- round_mode:string=up@24-",
         .upgrade = upgrade_cast,
         .infer = infer_cast,
         .fold = fold_cast,
         .scalar = scalar_cast,
         .forwards = to_same_type,
         .quick = true,
         .gradient = [](Gradient& n) { n.dx(0, convert(n.dy(), n.x().type().elem)); }}),
    {.name = "CastLike",
     .versions = "15 19 21 23 24 25",
     .inputs = "input:T1 target_type:T2",
     .outputs = "output:T2",
     .types = "T1: numeric bool string small; T2: numeric bool string small",
     .attributes = "saturate:int=1@19- round_mode:string=up@24-",
     .infer = infer_like},
    internal({.name = "ToFloat32",
              .inputs = "input:T",
              .outputs = "output:any",
              .types = "T: floats",
              .infer = infer_float32}),
    {.name = "BitCast",
     .versions = "26",
     .inputs = "input:T1",
     .outputs = "output:any",
     .types = "T1: numeric bool small complex",
     .attributes = "to:int!",
     .infer = infer_bit_cast,
     .fold = fold_bit_cast,
     .lower = lower_bit_cast}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::cast

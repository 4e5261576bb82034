// Rows of element-wise operators. unary(), binary(), compare() and variadic() fill in what
// operators of that kind have in common; members that the row sets stay.
//
//   unary<"elu", "alpha">(kFloats, {.name = "Elu", ...}, [](auto x, float alpha) { ... })
//
// is the operator that computes fn::elu(x, alpha), where alpha is its attribute, for the element
// types of kFloats. The lambda folds constants.
#pragma once

#include "compiler/ops/elementwise/elementwise.hpp"
#include "compiler/ops/elementwise/fold_elements.hpp"
#include "compiler/support/kernel_name.hpp"

namespace onnxc::ops {

// A string as a template argument.
struct Name {
  char text[32] = {};
  consteval Name(const char* s) {
    for (std::size_t i = 0; s[i] != 0; ++i) text[i] = s[i];
  }
};

// The function fn::name, which takes the operator's float attributes after its operands.
template <Name name, bool vectorises = true, Name... attributes>
ScalarFn scalar_fn(const Node& n) {
  static_assert(is_element_function(name.text), "no header of templates/fn/ declares it");
  return {.name = name.text,
          .literals = {real_literal(float_of(n, attributes.text))...},
          .vectorises = vectorises};
}

// The attributes of the first opsets select their upgrades.
constexpr void (*upgrade_of(std::string_view attributes))(Upgrade&) {
  const auto has = [&](std::string_view name) { return attributes.find(name) != attributes.npos; };
  if (has("broadcast:")) return upgrade_broadcast;
  return has("consumed_inputs:") ? upgrade_in_place : nullptr;
}

constexpr Op elementwise(Op op, std::string_view inputs = "", std::string_view outputs = "",
                         void (*infer)(Infer&) = nullptr) {
  if (op.inputs.empty()) op.inputs = inputs;
  if (op.outputs.empty()) op.outputs = outputs;
  if (!op.infer) op.infer = infer;
  if (!op.upgrade) op.upgrade = upgrade_of(op.attributes);
  op.layout = layout_elementwise;
  op.axes = axes_broadcast;
  return op;
}
constexpr Op unary(Op op) { return elementwise(op, "X:T", "Y:T", infer_unary); }
constexpr Op binary(Op op) { return elementwise(op, "A:T B:T", "C:T", infer_broadcast); }
constexpr Op compare(Op op) { return elementwise(op, "A:T B:T", "C:bool", infer_broadcast_bool); }
constexpr Op variadic(Op op) {
  op.forwards = has_one_input;
  return elementwise(op, "data_0:T+", "", infer_broadcast);
}

// A row whose function is fn::name, folded by the lambda f. Only float functions vectorise.
template <std::size_t operands, Name name, Name... attributes, class T, class... Rest, class F>
constexpr Op with_function(TypeList<T, Rest...> types, Op op, F) {
  constexpr std::size_t parameters = sizeof...(attributes);
  if (op.types.empty()) op.types = types.row;
  if (!op.scalar) op.scalar = scalar_fn<name, std::is_same_v<T, float>, attributes...>;
  op.fold = [](Fold& n) {
    const std::array<float, parameters> given = {n.attr_float(attributes.text)...};
    fold_elements<operands>(n, TypeList<T, Rest...>{}, F{}, given);
  };
  return op;
}

template <Name name, Name... attributes, class... T, class F>
constexpr Op unary(TypeList<T...> types, Op op, F f) {
  return unary(with_function<1, name, attributes...>(types, op, f));
}
template <Name name, Name... attributes, class... T, class F>
constexpr Op binary(TypeList<T...> types, Op op, F f) {
  return binary(with_function<2, name, attributes...>(types, op, f));
}
template <Name name, class... T, class F>
constexpr Op compare(TypeList<T...> types, Op op, F f) {
  op.scalar = scalar_fn<name, false>;
  return compare(with_function<2, name>(types, op, f));
}
template <Name name, class... T, class F>
constexpr Op variadic(TypeList<T...> types, Op op, F) {
  op.types = types.row;
  op.scalar = scalar_fn<name, true>;
  op.fold = [](Fold& n) { fold_variadic(n, TypeList<T...>{}, F{}); };
  return variadic(op);
}

}  // namespace onnxc::ops

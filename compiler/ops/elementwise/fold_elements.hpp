// Constant folding of element-wise operators. An operator compiles its scalar function for each of
// its types; the loop over the tensors is compiled once.
#pragma once

#include <array>
#include <span>
#include <utility>

#include "compiler/ops/fold.hpp"

namespace onnxc::ops {

// The operand elements of one output element.
struct Operands {
  std::span<const void* const> at;
  std::span<const float> attributes;
};
using ElementFn = void (*)(void* y, const Operands& x);

// float, double, int64 or uint64: the one that holds every value of T. Operators of two types fold
// from it where the result is the same, so that fewer functions are compiled.
template <class T, class C = compute_t<T>>
using wide_t =
    std::conditional_t<std::is_floating_point_v<C>, C,
                       std::conditional_t<std::is_same_v<C, std::uint64_t>, C, std::int64_t>>;

// Output 0 from all inputs, broadcast to it; nothing when worth_folding says no.
void fold_elements(Fold& n, ElementFn f, std::span<const float> attributes = {});

// The same with the function for the element type of input 0, if there is one.
struct TypedElementFn {
  ElemType elem;
  ElementFn f;
};
void fold_elements(Fold& n, std::span<const TypedElementFn> functions,
                   std::span<const float> attributes = {});

namespace fold_detail {

template <class T>
compute_t<T> load(const void* x) {
  return static_cast<compute_t<T>>(*static_cast<const T*>(x));
}

// f(operands..., attributes...) of operands of the types X, as a T unless it is a bool.
template <class F, class T, class OperandNumbers, class AttributeNumbers, class... X>
struct Element;
template <class F, class T, std::size_t... K, std::size_t... A, class... X>
struct Element<F, T, std::index_sequence<K...>, std::index_sequence<A...>, X...> {
  static void compute(void* y, const Operands& x) {
    const auto v = F{}(load<X>(x.at[K])..., x.attributes[A]...);
    using Y = std::conditional_t<std::is_same_v<decltype(v), const bool>, bool, T>;
    *static_cast<Y*>(y) = static_cast<Y>(v);
  }
};

template <class T, std::size_t>
using repeat = T;

// The same with all operands of type T.
template <class F, class T, std::size_t... K, class AttributeNumbers>
constexpr ElementFn uniform_element(std::index_sequence<K...>, AttributeNumbers) {
  return Element<F, T, std::index_sequence<K...>, AttributeNumbers, repeat<T, K>...>::compute;
}

// f(f(x0, x1), x2) and so on in the compute type of T.
template <class F, class T>
void reduce_operands(void* y, const Operands& x) {
  compute_t<T> v = load<T>(x.at[0]);
  for (const void* other : x.at.subspan(1)) v = F{}(v, load<T>(other));
  *static_cast<T*>(y) = static_cast<T>(v);
}

}  // namespace fold_detail

// Output element = f(operands, attributes...), where f is a lambda without captures. The operands
// are of one type, of those listed.
template <std::size_t operands, std::size_t parameters = 0, class... T, class F>
void fold_elements(Fold& n, TypeList<T...>, F,
                   const std::array<float, parameters>& attributes = {}) {
  static constexpr TypedElementFn functions[] = {
      {elem_type_of(T{}),
       fold_detail::uniform_element<F, T>(std::make_index_sequence<operands>{},
                                          std::make_index_sequence<parameters>{})}...};
  fold_elements(n, functions, attributes);
}

// The same for any number of operands, which f combines two at a time.
template <class... T, class F>
void fold_variadic(Fold& n, TypeList<T...>, F) {
  static constexpr TypedElementFn functions[] = {
      {elem_type_of(T{}), fold_detail::reduce_operands<F, T>}...};
  fold_elements(n, functions);
}

// The same for operands of the types X and a result of type Y.
template <class Y, class... X, class F>
void fold_mixed(Fold& n, F) {
  fold_elements(n, fold_detail::Element<F, Y, std::index_sequence_for<X...>, std::index_sequence<>,
                                        X...>::compute);
}

}  // namespace onnxc::ops

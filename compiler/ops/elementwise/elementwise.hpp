// What element-wise operators share: inference, layout, and evaluation of constants.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "compiler/ops/fold.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/ops/upgrade.hpp"
#include "runtime_min/half.hpp"
#include "runtime_min/int_small.hpp"
#include "runtime_min/minifloat.hpp"

namespace onnxc::ops {

void infer_unary(Infer& n);  // output 0 has input 0's type and shape
LayoutRule layout_elementwise(const Node& node);

// Opsets 1 to 6: `broadcast` and `axis` say where the shape of input 1 lies in that of input 0.
void upgrade_broadcast(Upgrade& u);
// `consumed_inputs` of opset 1 is a hint about memory.
void upgrade_in_place(Upgrade& u);

// Whether a folded result is worth its bytes: small, or no larger than what it is made from. Strings
// are left for the run.
bool worth_folding(const Fold& n);

inline Literal real_literal(float v) {
  Literal l;
  l.kind = Literal::Kind::real;
  l.real = v;
  return l;
}
inline Literal bool_literal(bool v) {
  Literal l;
  l.kind = Literal::Kind::boolean;
  l.integer = v ? 1 : 0;
  return l;
}
inline Literal int_literal(std::int64_t v) {
  Literal l;
  l.integer = v;
  return l;
}
inline Literal type_literal(ElemType v) {
  Literal l;
  l.kind = Literal::Kind::type;
  l.type = v;
  return l;
}
// A float attribute of a node that may be a stand-in without inputs.
float float_of(const Node& node, const std::string& attribute);

// As with_plain_type, for the floating-point types of arithmetic.
template <class F>
bool with_real(ElemType elem, F f) {
  switch (elem) {
    case ElemType::float32:
      return f(float{}), true;
    case ElemType::float64:
      return f(double{}), true;
    case ElemType::float16:
      return f(float16{}), true;
    case ElemType::bfloat16:
      return f(bfloat16{}), true;
    default:
      return false;
  }
}

// As with_plain_type, for every type of arithmetic.
template <class F>
bool with_number(ElemType elem, F f) {
  if (elem == ElemType::boolean) return false;
  return with_real(elem, f) || with_plain_type(elem, [&](auto tag) {
           // The floats are done; asking again would instantiate them twice.
           if constexpr (std::is_integral_v<decltype(tag)> && !std::is_same_v<decltype(tag), bool>)
             f(tag);
         });
}

// As with_plain_type, for every type but strings and complex numbers.
template <class F>
bool with_any(ElemType elem, F f) {
  switch (elem) {
    case ElemType::boolean:
      return f(bool{}), true;
    case ElemType::float8e4m3fn:
      return f(float8e4m3fn{}), true;
    case ElemType::float8e4m3fnuz:
      return f(float8e4m3fnuz{}), true;
    case ElemType::float8e5m2:
      return f(float8e5m2{}), true;
    case ElemType::float8e5m2fnuz:
      return f(float8e5m2fnuz{}), true;
    case ElemType::float8e8m0:
      return f(float8e8m0{}), true;
    case ElemType::float4e2m1:
      return f(float4e2m1{}), true;
    case ElemType::int4:
      return f(int4{}), true;
    case ElemType::uint4:
      return f(uint4{}), true;
    case ElemType::int2:
      return f(int2{}), true;
    case ElemType::uint2:
      return f(uint2{}), true;
    default:
      return with_number(elem, f);
  }
}

// Walks an operand in the order of the output it is broadcast to.
class BroadcastWalk {
 public:
  BroadcastWalk(const std::vector<std::int64_t>& out, const std::vector<std::int64_t>& own);
  std::size_t next();  // linear index in the operand

 private:
  std::vector<std::int64_t> extent_, stride_, at_;
  std::int64_t index_ = 0;
};

// Output element i is f of the operands' elements i, in their compute types.
template <class Y, class... X, class F>
void fold_map(Fold& n, F f) {
  if (!worth_folding(n)) return;
  TensorBuilder y(n.out_elem(0), n.out_dims(0));
  const auto run = [&]<std::size_t... K>(std::index_sequence<K...>) {
    std::array<BroadcastWalk, sizeof...(X)> walks = {
        BroadcastWalk(n.out_dims(0), n.in(K).dims())...};
    for (std::int64_t i = 0; i < y.size(); ++i)
      y.data<Y>()[i] = static_cast<Y>(
          f(static_cast<compute_t<X>>(n.in(K).template as<X>()[walks[K].next()])...));
  };
  run(std::index_sequence_for<X...>{});
  n.out(0, y.take());
}

template <class F>
void fold_unary_real(Fold& n, F f) {
  with_real(n.out_elem(0), [&](auto tag) { fold_map<decltype(tag), decltype(tag)>(n, f); });
}
template <class F>
void fold_unary(Fold& n, F f) {
  with_number(n.out_elem(0), [&](auto tag) { fold_map<decltype(tag), decltype(tag)>(n, f); });
}
template <class F>
void fold_binary(Fold& n, F f) {
  with_number(n.out_elem(0),
              [&](auto tag) { fold_map<decltype(tag), decltype(tag), decltype(tag)>(n, f); });
}
template <class F>
void fold_binary_real(Fold& n, F f) {
  with_real(n.out_elem(0),
            [&](auto tag) { fold_map<decltype(tag), decltype(tag), decltype(tag)>(n, f); });
}
template <class F>
void fold_compare(Fold& n, F f) {
  with_number(n.in(0).elem(),
              [&](auto tag) { fold_map<bool, decltype(tag), decltype(tag)>(n, f); });
}

// Any number of operands of one type: f on all of them, two at a time, in the compute type.
template <class F>
void fold_variadic(Fold& n, F f) {
  if (!worth_folding(n)) return;
  with_number(n.out_elem(0), [&](auto tag) {
    using T = decltype(tag);
    using C = compute_t<T>;
    TensorBuilder y(n.out_elem(0), n.out_dims(0));
    std::vector<BroadcastWalk> walks;
    for (std::size_t k = 0; k < n.input_count(); ++k)
      walks.emplace_back(n.out_dims(0), n.in(k).dims());
    for (std::int64_t i = 0; i < y.size(); ++i) {
      C v = static_cast<C>(n.in(0).as<T>()[walks[0].next()]);
      for (std::size_t k = 1; k < walks.size(); ++k)
        v = f(v, static_cast<C>(n.in(k).as<T>()[walks[k].next()]));
      y.data<T>()[i] = static_cast<T>(v);
    }
    n.out(0, y.take());
  });
}

}  // namespace onnxc::ops

// BitwiseAnd, BitwiseOr, BitwiseXor and BitwiseNot of integers.
#include "compiler/ops/elementwise/elementwise.hpp"

#include "templates/fn/bitwise.hpp"

namespace onnxc::ops::bitwise {
namespace {

ScalarFn function(const char* name) {
  return {.name = name, .literals = {}, .vectorises = false, .header = "bitwise"};
}

template <class F>
void fold_integer(Fold& n, F f) {
  with_plain_type(n.out_elem(0), [&](auto tag) {
    using T = decltype(tag);
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) fold_map<T, T, T>(n, f);
  });
}

void fold_and(Fold& n) {
  fold_integer(n, [](auto a, auto b) { return fn::bitwise_and(a, b); });
}
ScalarFn scalar_and(const Node&) { return function("bitwise_and"); }

void fold_or(Fold& n) {
  fold_integer(n, [](auto a, auto b) { return fn::bitwise_or(a, b); });
}
ScalarFn scalar_or(const Node&) { return function("bitwise_or"); }

void fold_xor(Fold& n) {
  fold_integer(n, [](auto a, auto b) { return fn::bitwise_xor(a, b); });
}
ScalarFn scalar_xor(const Node&) { return function("bitwise_xor"); }

void fold_not(Fold& n) {
  with_plain_type(n.out_elem(0), [&](auto tag) {
    using T = decltype(tag);
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
      fold_map<T, T>(n, [](auto x) { return fn::bitwise_not(x); });
  });
}
ScalarFn scalar_not(const Node&) { return function("bitwise_not"); }

constexpr Op rows[] = {{
                           .name = "BitwiseAnd",
                           .versions = "18",
                           .inputs = "A:T B:T",
                           .outputs = "C:T",
                           .types = "T: integers",
                           .infer = infer_broadcast,
                           .fold = fold_and,
                           .lower = lower_map,
                           .scalar = scalar_and,
                           .layout = layout_elementwise,
                       },
                       {
                           .name = "BitwiseOr",
                           .versions = "18",
                           .inputs = "A:T B:T",
                           .outputs = "C:T",
                           .types = "T: integers",
                           .infer = infer_broadcast,
                           .fold = fold_or,
                           .lower = lower_map,
                           .scalar = scalar_or,
                           .layout = layout_elementwise,
                       },
                       {
                           .name = "BitwiseXor",
                           .versions = "18",
                           .inputs = "A:T B:T",
                           .outputs = "C:T",
                           .types = "T: integers",
                           .infer = infer_broadcast,
                           .fold = fold_xor,
                           .lower = lower_map,
                           .scalar = scalar_xor,
                           .layout = layout_elementwise,
                       },
                       {
                           .name = "BitwiseNot",
                           .versions = "18",
                           .inputs = "X:T",
                           .outputs = "Y:T",
                           .types = "T: integers",
                           .infer = infer_unary,
                           .fold = fold_not,
                           .lower = lower_map,
                           .scalar = scalar_not,
                           .layout = layout_elementwise,
                       }};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::bitwise

// IsInf: whether x is an infinity, of either sign or of one.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/is_inf.hpp"

namespace onnxc::ops::is_inf {
namespace {

bool wanted(const Node& n, const char* sign) { return NodeView(n).attr_int(sign) != 0; }

void fold(Fold& n) {
  fold_elements<1>(
      n, kFloats,
      [](auto x, float negative, float positive) {
        return fn::is_inf(x, negative != 0, positive != 0);
      },
      std::array{wanted(n.node(), "detect_negative") ? 1.0f : 0.0f,
                 wanted(n.node(), "detect_positive") ? 1.0f : 0.0f});
}

ScalarFn scalar(const Node& n) {
  return {.name = "is_inf",
          .literals = {bool_literal(wanted(n, "detect_negative")),
                       bool_literal(wanted(n, "detect_positive"))},
          .vectorises = false};
}

constexpr Op rows[] = {unary({.name = "IsInf",
                              .versions = "10 20",
                              .inputs = "X:T1",
                              .outputs = "Y:bool",
                              .types = "T1: floats float8",
                              .attributes = "detect_negative:int=1 detect_positive:int=1",
                              .infer = infer_broadcast_bool,
                              .fold = fold,
                              .scalar = scalar})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::is_inf

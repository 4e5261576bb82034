// Optional, OptionalHasElement and OptionalGetElement: values that may be left out.
#include "compiler/ops/gradient.hpp"
#include "compiler/ops/sequence/container.hpp"

namespace onnxc::ops::optional {
namespace {

void infer_optional(Infer& n) {
  if (n.has_input(0)) return n.output(0, Type::optional(n.input(0)));
  n.require(n.has_attr("type"), "attribute \"type\"", "required without an input");
  const auto* type = std::get_if<Type>(n.node().find("type"));
  n.output(0, Type::optional(type ? *type : Type{}));
}

void lower_optional(Lower& n) {
  if (n.has_input(0)) return n.copy(n.in(0), n.out(0));
  n.call("clear_value").out(0);
}

// Version 15 takes nothing but optionals.
void require_optional(const Infer& n) {
  constexpr int kOptionalsOnly = 15;
  if (n.node().version != kOptionalsOnly || n.node().op_type != n.node().op->name) return;
  n.require(n.has_input(0), "input 0 \"input\"", "is left out, which needs {}-18",
            n.node().op->name);
  const Type::Kind kind = n.input(0).kind;
  n.require(kind == Type::Kind::optional || kind == Type::Kind::unknown, "input 0 \"input\"",
            "is {}, which needs {}-18", n.input(0).to_string(), n.node().op->name);
}

void infer_has(Infer& n) {
  require_optional(n);
  n.output(0, ElemType::boolean, Shape{});
}

void lower_has(Lower& n) {
  if (n.has_input(0) && n.is_object(n.in(0))) {
    n.call("has_element").in(0).out(0);
    return;
  }
  // An input that is left out is an empty optional; one that is not an optional always has an
  // element.
  const std::uint8_t there = n.has_input(0) ? 1 : 0;
  n.copy(n.constant(Tensor::of<std::uint8_t>(ElemType::boolean, {}, std::span(&there, 1)), "value"),
         n.out(0));
}

void infer_get(Infer& n) {
  require_optional(n);
  const Type& x = n.input(0);
  n.output(0, x.kind == Type::Kind::optional ? member_type(n, x) : x);
}

void lower_get(Lower& n) {
  if (!n.is_object(n.in(0))) return n.alias(0, 0);
  if (!n.is_object(n.out(0))) return copy_joined(n, n.in(0), n.out(0));
  n.call("get_element").in(0).out(0);
}

void gradient_of_optional(Gradient& n) { n.dx(0, n.emit("OptionalGetElement", {n.dy()})); }

void gradient_of_element(Gradient& n) {
  const bool optional = n.input(0).kind == Type::Kind::optional;
  n.dx(0, optional ? n.emit("Optional", {n.dy()}) : n.dy());
}

constexpr Op rows[] = {{
                           .name = "Optional",
                           .versions = "15",
                           .inputs = "input:any?",
                           .outputs = "output:any",
                           .attributes = "type:type",
                           .infer = infer_optional,
                           .lower = lower_optional,
                           .gradient = gradient_of_optional,
                       },
                       {
                           .name = "OptionalGetElement",
                           .versions = "15 18",
                           .inputs = "input:any",
                           .outputs = "output:any",
                           .infer = infer_get,
                           .lower = lower_get,
                           .gradient = gradient_of_element,
                       },
                       {
                           .name = "OptionalHasElement",
                           .versions = "15 18",
                           .inputs = "input:any?",
                           .outputs = "output:bool",
                           .infer = infer_has,
                           .lower = lower_has,
                       }};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::optional

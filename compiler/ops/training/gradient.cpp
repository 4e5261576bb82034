// Gradient: the derivatives of y by xs. expand_gradients replaces it by nodes that compute them.
//
// Inputs: the points at which xs and zs are given, and then, appended by the import, the tensors
// that the attributes xs, zs and y name. Outputs: the derivative of the sum of y's elements by each
// of xs, with the shape of its input.
#include "compiler/ops/infer.hpp"
#include "compiler/ops/node_builder.hpp"

namespace onnxc::ops::gradient {
namespace {

std::size_t count_of(const NodeView& n, const char* attribute) {
  return n.has_attr(attribute) ? n.attr_strings(attribute).size() : 0;
}

// T2 of the standard: float16, float and double.
bool is_result(ElemType elem) {
  return elem == ElemType::float16 || elem == ElemType::float32 || elem == ElemType::float64;
}

void check_names(const NodeView& n, std::size_t first, std::size_t count) {
  for (std::size_t i = first; i < first + count; ++i)
    for (std::size_t k = first; k < i; ++k)
      n.require(&n.input_value(i) != &n.input_value(k), "attributes \"xs\" and \"zs\"",
                "name {} twice", quoted(n.input_value(i).name));
}

void check_point(const NodeView& n, std::size_t i, std::size_t named, bool is_x) {
  const Type& point = n.input(i);
  const Value& tensor = n.input_value(named + i);
  n.require(compatible(point, tensor.type), fmt::format("input {}", i),
            "is {}, but {}, in whose place it stands, is {}", point.to_string(),
            quoted(tensor.name), tensor.type.to_string());
  n.require(!is_x || point.kind == Type::Kind::unknown || is_result(point.elem), "attribute \"xs\"",
            "{} is {}; derivatives are of float16, float and double", quoted(tensor.name),
            point.to_string());
}

void infer(Infer& n) {
  const std::size_t xs = count_of(n, "xs"), named = xs + count_of(n, "zs");
  const std::size_t given = n.input_count() < named + 1 ? 0 : n.input_count() - named - 1;
  n.require(xs > 0, "attribute \"xs\"", "names no tensor");
  n.require(given == named, "inputs", "{}, but xs and zs name {}", given, named);
  n.require(n.output_count() <= xs, "outputs", "{}, but xs names {}", n.output_count(), xs);
  check_names(n, named, named);
  for (std::size_t i = 0; i < named; ++i) check_point(n, i, named, i < xs);
  const Value& y = n.input_value(2 * named);
  n.require(y.type.kind == Type::Kind::unknown || (y.type.is_tensor() && is_result(y.type.elem)),
            "attribute \"y\"", "{} is {}; derivatives are of float16, float and double",
            quoted(y.name), y.type.to_string());
  for (std::size_t i = 0; i < n.output_count(); ++i) n.output(i, n.input(i));
}

constexpr Op row_of(std::string_view domain) {
  return {
      .name = "Gradient",
      .domain = domain,
      .versions = "1",
      .inputs = "Inputs:T1~",
      .outputs = "Outputs:T2~",
      .types = "T1: all; T2: classic_floats",
      .attributes = "xs:strings! zs:strings y:string!",
      .named_values = "xs zs y",
      .infer = infer,
  };
}

// Exporters write the second domain.
constexpr Op rows[] = {row_of("ai.onnx.preview.training"), row_of("ai.onnx.preview")};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::gradient

// Comparison and text of types and shapes.
#include "compiler/ir/type.hpp"

#include <algorithm>
#include <stdexcept>

namespace onnxc {

Type Type::tensor(ElemType elem, std::optional<Shape> shape) {
  Type t;
  t.kind = Kind::tensor;
  t.elem = elem;
  t.shape = std::move(shape);
  return t;
}

Type Type::sequence(Type element) {
  Type t;
  t.kind = Kind::sequence;
  t.element = std::make_shared<const Type>(std::move(element));
  return t;
}

Type Type::optional(Type element) {
  Type t = sequence(std::move(element));
  t.kind = Kind::optional;
  return t;
}

Type Type::map(ElemType key, Type value) {
  Type t = sequence(std::move(value));
  t.kind = Kind::map;
  t.elem = key;
  return t;
}

bool Type::is_static() const {
  return is_tensor() && shape &&
         std::all_of(shape->begin(), shape->end(), [](const Dim& d) { return d.is_const(); });
}

std::string Type::to_string() const {
  const std::string name(info(elem).short_name);
  switch (kind) {
    case Kind::unknown:
      return "unknown";
    case Kind::tensor:
      return name + (shape ? onnxc::to_string(*shape) : "[*]");
    case Kind::sparse_tensor:
      return "sparse " + name + (shape ? onnxc::to_string(*shape) : "[*]");
    case Kind::sequence:
      return "seq(" + element->to_string() + ")";
    case Kind::optional:
      return "optional(" + element->to_string() + ")";
    case Kind::map:
      return "map(" + name + ", " + element->to_string() + ")";
  }
  return "unknown";
}

bool operator==(const Type& a, const Type& b) {
  if (a.kind != b.kind || a.elem != b.elem || a.shape != b.shape) return false;
  if (!a.element || !b.element) return a.element == b.element;
  return *a.element == *b.element;
}

bool compatible(const Type& a, const Type& b) {
  if (a.kind == Type::Kind::unknown || b.kind == Type::Kind::unknown) return true;
  if (a.kind != b.kind) return false;
  const bool elems_known = a.elem != ElemType::undefined && b.elem != ElemType::undefined;
  if (elems_known && a.elem != b.elem) return false;
  if (a.element && b.element) return compatible(*a.element, *b.element);
  if (!a.shape || !b.shape) return true;
  return std::equal(
      a.shape->begin(), a.shape->end(), b.shape->begin(), b.shape->end(),
      [](const Dim& x, const Dim& y) { return !x.is_const() || !y.is_const() || x == y; });
}

std::vector<std::int64_t> fixed(const Shape& shape) {
  std::vector<std::int64_t> dims;
  dims.reserve(shape.size());
  for (const Dim& d : shape) {
    if (!d.is_const()) throw std::logic_error("symbolic extent where a constant is needed");
    dims.push_back(d.value());
  }
  return dims;
}

Shape to_shape(std::span<const std::int64_t> dims) { return {dims.begin(), dims.end()}; }

Dim product(const Shape& shape, std::size_t first, std::size_t last) {
  Dim r = 1;
  for (std::size_t i = first; i < last; ++i) {
    if (shape[i].is(0)) return 0;
    r = r * shape[i];
  }
  return r;
}

Dim product(const Shape& shape) {
  for (const Dim& d : shape)
    if (d.is(0)) return 0;
  return product(shape, 0, shape.size());
}

std::string to_string(const Shape& shape) {
  std::string s = "[";
  for (const Dim& d : shape) s += (s.size() > 1 ? "," : "") + d.to_string();
  return s + "]";
}

}  // namespace onnxc

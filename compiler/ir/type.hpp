// Types of values: tensors with symbolic shapes, and the containers of the standard.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/ir/dim.hpp"
#include "compiler/ir/elem_type.hpp"

namespace onnxc {

using Shape = std::vector<Dim>;

struct Type {
  enum class Kind : std::uint8_t { unknown, tensor, sparse_tensor, sequence, optional, map };

  Kind kind = Kind::unknown;
  ElemType elem = ElemType::undefined;  // of a tensor; for a map, the type of its keys
  std::optional<Shape> shape;           // of a tensor; nullopt for an unknown rank
  std::shared_ptr<const Type> element;  // of a sequence, optional or map
  bool vacant = false;  // element of an empty sequence: a tensor compatible with every shape

  static Type tensor(ElemType elem, std::optional<Shape> shape = std::nullopt);
  static Type sequence(Type element);
  static Type optional(Type element);
  static Type map(ElemType key, Type value);

  bool is_tensor() const { return kind == Kind::tensor; }
  bool has_rank() const { return shape.has_value(); }
  std::size_t rank() const { return shape->size(); }  // only when has_rank()
  bool is_static() const;                             // a tensor whose dimensions are all constants
  std::string to_string() const;                      // "f32[N,3,224,224]", "seq(i64[?])"
};
bool operator==(const Type& a, const Type& b);
// Whether a value can have both types: kinds, element types, ranks and constant dimensions agree as
// far as they are known.
bool compatible(const Type& a, const Type& b);

// The dimensions of a static shape; throws std::logic_error if one is symbolic.
std::vector<std::int64_t> fixed(const Shape& shape);
Shape to_shape(std::span<const std::int64_t> dims);
// Product of the dimensions from `first` up to, not including, `last`.
Dim product(const Shape& shape, std::size_t first, std::size_t last);
Dim product(const Shape& shape);
std::string to_string(const Shape& shape);  // "[N,3]"

}  // namespace onnxc

// Constant: a tensor from an attribute.
#include <array>
#include <cstring>

#include "compiler/ops/fold.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/support/checked.hpp"

namespace onnxc::ops::constant {
namespace {

constexpr std::array kForms = {"value",     "sparse_value", "value_float",  "value_floats",
                               "value_int", "value_ints",   "value_string", "value_strings"};

// The largest size in bytes of a sparse tensor made dense.
constexpr std::int64_t kLargestDense = std::int64_t{1} << 30;

template <class T>
std::vector<std::int64_t> one_axis(const std::vector<T>& v) {
  return {static_cast<std::int64_t>(v.size())};
}

// Row-major position of entry k, whose index is linear or a row of coordinates.
std::int64_t position(const NodeView& n, const SparseTensor& s, const std::vector<std::int64_t>& at,
                      std::size_t k) {
  const std::size_t rank = s.dims.size();
  if (s.indices.dims().size() == 1) return at[k];
  std::int64_t linear = 0;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const std::int64_t i = at[k * rank + axis];
    n.require(i >= 0 && i < s.dims[axis], "attribute \"sparse_value\"", "index {} is outside {}", i,
              s.dims[axis]);
    linear = linear * s.dims[axis] + i;
  }
  return linear;
}

Tensor dense(const NodeView& n, const SparseTensor& s) {
  const std::string field = "attribute \"sparse_value\"";
  const std::int64_t size = checked_product(s.dims), count = s.values.size();
  const std::size_t width = elem_bytes(s.values.elem());
  n.require(width > 0, field, "strings cannot be sparse");
  n.require(size <= kLargestDense / static_cast<std::int64_t>(width), field,
            "is too large when dense");
  const auto at = s.indices.to_int64s();
  const std::size_t per_entry = s.indices.dims().size() == 1 ? 1 : s.dims.size();
  n.require(at.size() == static_cast<std::size_t>(count) * per_entry, field,
            "has {} index numbers for {} values", at.size(), count);
  std::vector<std::byte> bytes(static_cast<std::size_t>(size) * width);
  std::int64_t last = -1;
  for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
    const std::int64_t i = position(n, s, at, k);
    n.require(i > last && i < size, field, "indices must rise and stay below {}", size);
    last = i;
    std::memcpy(bytes.data() + static_cast<std::size_t>(i) * width,
                s.values.bytes().data() + k * width, width);
  }
  return {s.values.elem(), s.dims, Blob::owned(std::move(bytes))};
}

Tensor tensor_of(const NodeView& n, const Attribute& a) {
  if (const auto* t = std::get_if<Tensor>(&a)) return *t;
  if (const auto* s = std::get_if<SparseTensor>(&a)) return dense(n, *s);
  if (const auto* f = std::get_if<float>(&a)) return Tensor::scalar(*f);
  if (const auto* i = std::get_if<std::int64_t>(&a)) return Tensor::scalar(*i);
  if (const auto* v = std::get_if<std::vector<float>>(&a))
    return Tensor::of<float>(ElemType::float32, one_axis(*v), *v);
  if (const auto* v = std::get_if<std::vector<std::int64_t>>(&a)) return Tensor::ints(*v);
  if (const auto* s = std::get_if<std::string>(&a)) return {{}, {*s}};
  if (const auto* v = std::get_if<std::vector<std::string>>(&a)) return {one_axis(*v), *v};
  n.fail("attributes", "hold no tensor");
}

const Attribute& value_of(const NodeView& n) {
  const Attribute* found = nullptr;
  for (const char* form : kForms) {
    const Attribute* a = n.node().find(form);
    n.require(!a || !found, "attributes", "more than one value");
    if (a) found = a;
  }
  n.require(found != nullptr, "attributes", "no value");
  return *found;
}

void infer(Infer& n) {
  const Tensor t = tensor_of(n, value_of(n));
  n.output(0, t.elem(), to_shape(t.dims()));
}

void fold(Fold& n) { n.out(0, tensor_of(n, value_of(n))); }

constexpr Op rows[] = {{
    .name = "Constant",
    .versions = "1 9 11 12 13 19 21 23 24 25",
    .inputs = "",
    .outputs = "output:any",
    .attributes =
        "value:tensor!@1-10 value:tensor@11- sparse_value:sparse_tensor@11- value_float:float@12- "
        "value_floats:floats@12- value_int:int@12- value_ints:ints@12- "
        "value_string:string@12- value_strings:strings@12-",
    .infer = infer,
    .fold = fold,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::constant

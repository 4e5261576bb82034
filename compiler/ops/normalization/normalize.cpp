// Splits axes for normalize_nd and calls it.
#include "compiler/ops/normalization/normalize.hpp"

#include "compiler/ops/window.hpp"

namespace onnxc::ops {
namespace {

void split(const Shape& values, const std::vector<bool>& inner, Shape& outer_part,
           Shape& inner_part, const Dim& filler) {
  outer_part.clear();
  inner_part.clear();
  for (std::size_t i = 0; i < values.size(); ++i)
    (inner[i] ? inner_part : outer_part).push_back(values[i]);
  if (outer_part.empty()) outer_part.push_back(filler);
  if (inner_part.empty()) inner_part.push_back(filler);
}

// Row-major strides, 0 along axes of extent 1.
Shape quant_params_of(const Shape& s) {
  Shape strides(s.size(), Dim(0));
  Dim step = 1;
  for (std::size_t i = s.size(); i-- > 0;) {
    if (!s[i].is(1)) strides[i] = step;
    step = step * s[i];
  }
  return strides;
}

}  // namespace

std::size_t first_axis(const NodeView& n) {
  return n.axis(n.attr_int("axis"), n.input(0).rank(), "attribute \"axis\"");
}

std::vector<bool> axes_from(std::size_t first, std::size_t rank) {
  std::vector<bool> inner(rank, false);
  for (std::size_t i = first; i < rank; ++i) inner[i] = true;
  return inner;
}

NormalizeNdShape<Dim> split_axes(const Shape& x, const std::vector<bool>& inner) {
  NormalizeNdShape<Dim> z;
  split(x, inner, z.outer, z.inner, 1);
  split(quant_params_of(x), inner, z.x_outer, z.x_inner, 0);
  z.scale_outer = z.bias_outer = Shape(z.outer.size(), Dim(0));
  z.scale_inner = z.bias_inner = Shape(z.inner.size(), Dim(0));
  return z;
}

void add_operand(const Shape& operand, const Shape& x, const std::vector<bool>& inner,
                 Shape& outer_strides, Shape& inner_strides) {
  Shape strides = quant_params_of(operand);
  const std::size_t skip = x.size() - strides.size();
  for (std::size_t i = 0; i < strides.size(); ++i)
    if (!(operand[i] == x[skip + i])) strides[i] = Dim::broadcast_stride(operand[i], strides[i]);
  strides.insert(strides.begin(), skip, Dim(0));
  split(strides, inner, outer_strides, inner_strides, 0);
}

bool covers_axes(const Shape& operand, const Shape& x, std::size_t first) {
  std::size_t skip = 0;  // leading axes of extent 1 do not matter
  while (skip < operand.size() && operand.size() - skip > x.size() - first && operand[skip].is(1))
    ++skip;
  return Shape(operand.begin() + static_cast<std::ptrdiff_t>(skip), operand.end()) ==
         Shape(x.begin() + static_cast<std::ptrdiff_t>(first), x.end());
}

bool is_one(const NodeView& n, std::size_t input) {
  const Tensor* t = n.constant(input);
  return t && t->elem() == ElemType::float32 && t->size() == 1 && t->as<float>()[0] == 1.0f;
}

Call normalize(Lower& n, const NormalizeNdShape<Dim>& z) {
  Call call = n.call("normalize_nd", z);
  call.template_arg(std::to_string(z.outer.size())).template_arg(std::to_string(z.inner.size()));
  return call;
}

void require_float_stash(const NodeView& n) {
  const ElemType elem = n.attr_elem_type("stash_type");
  n.require(is_float(elem), "attribute \"stash_type\"", "{} is no floating-point type",
            info(elem).onnx_name);
}

void require_broadcast(const NodeView& n, std::size_t input, const std::string& name,
                       const Shape& x) {
  if (!n.has_input(input) || !n.input(input).has_rank()) return;
  const Shape& s = *n.input(input).shape;
  const std::string field = input_field(input, name);
  n.require(s.size() <= x.size(), field, "rank {} above X's {}", s.size(), x.size());
  for (std::size_t i = 0; i < s.size(); ++i) {
    const Dim& want = x[x.size() - s.size() + i];
    n.require(!s[i].is_const() || s[i].is(1) || !want.is_const() || s[i] == want, field,
              "{} does not broadcast to {}", to_string(s), to_string(x));
    if (!s[i].is(1)) n.same(n.broadcast(s[i], want, field), want, field);
  }
}

std::vector<std::int64_t> axis_numbers_from(std::size_t first, std::size_t rank) {
  std::vector<std::int64_t> axes;
  for (std::size_t i = first; i < rank; ++i) axes.push_back(static_cast<std::int64_t>(i));
  return axes;
}

Term Normalized::mean_of(Term v) const {
  if (axes.empty()) return v;
  return v.builder->emit("ReduceMean", {v, v.builder->ints(axes)});
}

Normalized normalized(Term x, std::vector<std::int64_t> axes, double epsilon, bool is_centred) {
  Normalized z;
  z.axes = std::move(axes);
  z.is_centred = is_centred;
  if (is_centred) z.mean = z.mean_of(x);
  const Term centred = is_centred ? x - z.mean : x;
  z.inverse = apply("Reciprocal", apply("Sqrt", z.mean_of(centred * centred) + epsilon));
  z.values = centred * z.inverse;
  return z;
}

Term gradient_of_normalized(const Normalized& z, Term dy) {
  Term d = dy - z.values * z.mean_of(dy * z.values);
  if (z.is_centred) d = d - z.mean_of(dy);
  return d * z.inverse;
}

}  // namespace onnxc::ops

// Inference, shape members and layout of pooling operators.
#include "compiler/ops/pooling/pool.hpp"

#include <cmath>

#include "compiler/ops/upgrade.hpp"

namespace onnxc::ops {

Shape pool_out_shape(const NodeView& n, const Shape& x) {
  const Window w = read_pool_window(n, x);
  Shape out{x[0], x[1]};
  out.insert(out.end(), w.out.begin(), w.out.end());
  return out;
}

void infer_pool(Infer& n) {
  if (!n.has_rank(0)) return n.output(0, n.elem(0), std::nullopt);
  n.output(0, n.elem(0), pool_out_shape(n, n.shape(0)));
}

PoolNdShape<Dim> nd_pool(const Lower& n, const Window& window) {
  return {n.shape(0)[0], n.shape(0)[1], nd_window(window), n.channels_last()};
}

namespace {

bool fits_image_kernel(const Node& node) {
  const Type& x = node.inputs[0]->type;
  const bool indices = node.outputs.size() > 1 && node.outputs[1];
  return x.elem == ElemType::float32 && x.has_rank() && (x.rank() == 3 || x.rank() == 4) &&
         !indices;
}

}  // namespace

LayoutRule prefer_channels_last(const Node& node) {
  const bool fits = fits_image_kernel(node);
  return {.accepts = node.inputs[0]->type.elem == ElemType::float32,
          .prefers = fits,
          .parts_in = fits,
          .part_out = fits};
}

bool has_image_kernel(const Lower& n) { return n.channels_last() && fits_image_kernel(n.node()); }

PoolShape<Dim> image_pool(const Lower& n, const Window& window) {
  return {image_window(window), n.shape(0)[0], n.shape(0)[1], n.pitch(0), n.out_pitch(0)};
}

LayoutRule accept_channels_last(const Node& node) {
  return {.accepts = node.inputs[0]->type.elem == ElemType::float32};
}

void infer_global_pool(Infer& n) {
  if (!n.has_rank(0)) return n.output(0, n.elem(0), std::nullopt);
  Shape out = n.shape(0);
  n.require(out.size() >= 2, input_field(0, "X"), "rank {}, needs at least 2", out.size());
  for (std::size_t i = 2; i < out.size(); ++i) {
    n.require(!out[i].is(0), input_field(0, "X"), "axis {} is empty", i);
    n.at_least(out[i], 1, input_field(0, "X"));
    out[i] = 1;
  }
  n.output(0, n.elem(0), out);
}

GlobalPoolShape<Dim> global_pool_shape(const Lower& n) {
  const Shape& x = n.shape(0);
  return {x[0], x[1], product(x, 2, x.size()), n.channels_last()};
}

std::int64_t norm_order(const NodeView& n) {
  const std::int64_t p = n.attr_int("p");
  n.require(p >= 1 && p < (1 << 24), "attribute \"p\"", "{} is not positive", p);
  return p;
}

void whole_norm_order(Upgrade& n) {
  const Attribute* p = n.node().find("p");
  const float* as_float = p ? std::get_if<float>(p) : nullptr;
  if (!as_float) return;
  const char* const field = "attribute \"p\"";
  n.require(*as_float > 0, field, "{} is not positive", *as_float);
  if (!(*as_float < 16777216.0f) || std::trunc(*as_float) != *as_float)
    n.unsupported(field, fmt::format("{} is no integer below 2^24", *as_float));
  n.set("p", static_cast<std::int64_t>(*as_float));
}

Term gradient_of_norm(Term x, std::int64_t p, Term over_norm) {
  if (p == 1) return apply("Sign", x) * over_norm;
  if (p == 2) return x * over_norm;
  const Term power = number_like(x, static_cast<double>(p - 2));
  return x * x.builder->emit("Pow", {apply("Abs", x), power}) * over_norm;
}

Term divided_by_norm(Term dy, Term y, std::int64_t p) {
  if (p == 1) return dy;
  const Term none = y == 0.0, divisor = choose(none, 1.0, y);
  const Term power = number_like(y, static_cast<double>(p - 1));
  const Term powered = p == 2 ? divisor : y.builder->emit("Pow", {divisor, power});
  return choose(none, 0.0, dy / powered);
}

}  // namespace onnxc::ops

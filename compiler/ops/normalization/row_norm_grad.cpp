// onnxc::RowNormGrad: the derivatives of LayerNormalization and RMSNormalization whose scale and
// bias have exactly the axes that are normalised over.
#include "compiler/ops/normalization/normalize.hpp"
#include "compiler/ops/window.hpp"

namespace onnxc::ops {

bool gradient_of_rows(Gradient& n, bool is_centred) {
  const ElemType elem = n.input(0).elem;
  if (elem != ElemType::float32 && elem != ElemType::float64) return false;
  const Shape& x = n.shape(0);
  for (std::size_t i = 1; i < n.input_count(); ++i) {
    if (!n.has_input(i)) continue;
    if (n.input(i).elem != elem || !covers_axes(n.shape(i), x, first_axis(n))) return false;
  }
  for (std::size_t i = 1; i < n.output_count(); ++i)
    if (n.has_dy(i)) return false;
  if (!n.has_dy(0)) return false;
  Attributes attributes = {{"axis", n.attr_int("axis")},
                           {"epsilon", n.attr_float("epsilon")},
                           {"centred", std::int64_t{is_centred}}};
  const std::size_t count = n.has_input(2) ? 3 : 2;
  const auto found = n.builder().add(get("RowNormGrad", "onnxc"), {n.x(0), n.x(1), n.dy()}, count,
                                     std::move(attributes));
  for (std::size_t i = 0; i < count; ++i) n.dx(i, n.builder().reshape(found[i], n.x(i)));
  return true;
}

namespace row_norm_grad {
namespace {

// The derivative by the bias has the shape of that by the scale, which is the same but for leading
// axes of one element.
void infer(Infer& n) {
  n.output(0, n.input(0));
  n.output(1, n.input(1));
  n.output(2, n.input(1));
}

bool is_read(const NodeView& n, std::size_t i) {
  return n.has_output(i) && !n.output_value(i).users().empty();
}

void lower(Lower& n) {
  const Shape& x = n.shape(0);
  const std::size_t first = first_axis(n);
  const ElemType elem = n.elem(0);
  const RowNormShape<Dim> s = {product(x, 0, first), product(x, first, x.size()),
                               n.attr_float("epsilon")};
  const BufferId moments = n.scratch(elem, Dim::max(s.rows * 2, 1), "moments");
  const auto out = [&](Call& call, std::size_t i) {
    if (is_read(n, i))
      call.out(i);
    else
      call.null(elem, true);
  };
  const bool sums = is_read(n, 1) || is_read(n, 2);
  Call rows = n.call("row_norm_grad", s).divisible();
  rows.template_arg(n.attr_int("centred") != 0 ? "true" : "false").in({0, 1, 2});
  out(rows, 0);
  rows.write(moments);
  if (!sums) rows.may_share(2);
  if (!sums) return;
  Call columns = n.call("row_norm_scale_grad", s).divisible();
  columns.in({0, 2}).read(moments);
  out(columns, 1);
  out(columns, 2);
}

void gradient(Gradient& n) {
  const auto axes = axis_numbers_from(first_axis(n), n.shape(0).size());
  const Normalized z = normalized(n.x(), axes, n.attr_float("epsilon"), n.attr_int("centred") != 0);
  const auto like_scale = [&](Term v) {
    return n.builder().reshape(n.builder().sum_to(v, n.input_value(1)), n.x(1));
  };
  n.by_definition({gradient_of_normalized(z, n.x(2) * n.x(1)), like_scale(n.x(2) * z.values),
                   like_scale(n.x(2))});
}

constexpr Op rows[] = {internal({
    .name = "RowNormGrad",
    .inputs = "X:T scale:T dY:T",
    .outputs = "dX:T dScale:T dBias:T?",
    .types = "T: float double",
    .attributes = "axis:int! epsilon:float! centred:int!",
    .infer = infer,
    .lower = lower,
    .gradient = gradient,
})};

}  // namespace
extern const Family family{rows};
}  // namespace row_norm_grad
}  // namespace onnxc::ops

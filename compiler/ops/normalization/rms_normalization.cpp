// RMSNormalization: divides by the root mean square over the last axes, then scales. ONNX Runtime
// calls it SimplifiedLayerNormalization, in the domain ai.onnx, too.
#include "compiler/kernels/normalization_calls.hpp"
#include "compiler/ops/axes.hpp"
#include "compiler/ops/normalization/normalize.hpp"
#include "compiler/ops/upgrade.hpp"

namespace onnxc::ops::rms_normalization {
namespace {

void infer(Infer& n) {
  Type y = n.input(0);
  y.elem = n.elem(1);
  n.output(0, y);
  require_float_stash(n);
  if (!n.has_rank(0)) return;
  first_axis(n);
  require_broadcast(n, 1, "scale", n.shape(0));
}

bool lower_rows(Lower& n, const Shape& x, std::size_t first) {
  if (n.elem(0) != ElemType::float32 || n.elem(1) != ElemType::float32) return false;
  const bool scales = !is_one(n, 1);
  if (scales && !covers_axes(n.shape(1), x, first)) return false;
  Call call =
      n.call("rms_norm", RowNormShape<Dim>{product(x, 0, first), product(x, first, x.size()),
                                           n.attr_float("epsilon")});
  call.divisible().in({0});
  (scales ? call.in({1}) : call.null()).null().out(0).may_share(0);
  return true;
}

void lower(Lower& n) {
  const Shape& x = n.shape(0);
  if (lower_rows(n, x, first_axis(n))) return;
  const std::vector<bool> inner = axes_from(first_axis(n), x.size());
  NormalizeNdShape<Dim> z = split_axes(x, inner);
  z.epsilon = n.attr_float("epsilon");
  z.centred = false;
  add_operand(n.shape(1), x, inner, z.scale_outer, z.scale_inner);
  const ElemType elem = n.elem(0);
  normalize(n, z).in({0, 1}).null(n.elem(1)).out(0).null(elem, true).null(elem, true);
}

// The result has the element type of the scale.
void gradient(Gradient& n) {
  if (gradient_of_rows(n, false)) return;
  const auto axes = axis_numbers_from(first_axis(n), n.shape(0).size());
  const Normalized z = normalized(n.x(), axes, n.attr_float("epsilon"), false);
  const ElemType elem = n.x().type().elem;
  if (n.wants(0)) n.dx(0, gradient_of_normalized(z, convert(n.dy() * n.x(1), elem)));
  if (n.wants(1)) n.dx_summed(1, n.dy() * convert(z.values, n.dy().type().elem));
}

void upgrade(Upgrade& n) {
  if (n.has_output(1))
    n.unsupported("output 1 \"inv_std_var\"", "the statistics of training are not computed");
  n.mutable_node().outputs.resize(1);
  n.to("RMSNormalization");
}

void axes(Axes& n) {
  axes_before(n);
  axes_broadcast_to_first(n, 1);
}

constexpr Op simplified(std::string_view domain) {
  return {
      .name = "SimplifiedLayerNormalization",
      .domain = domain,
      .versions = "1",
      .inputs = "X:T scale:V",
      .outputs = "Y:V inv_std_var:U?",
      .types = "T: floats; V: floats; U: float double",
      .attributes = "axis:int=-1 epsilon:float=1e-5 stash_type:int=1",
      .limits = "inv_std_var, which only training reads",
      .upgrade = upgrade,
  };
}

constexpr Op rows[] = {{
                           .name = "RMSNormalization",
                           .versions = "23",
                           .inputs = "X:T scale:V",
                           .outputs = "Y:V",
                           .types = "T: floats; V: floats",
                           .attributes = "axis:int=-1 epsilon:float=1e-5 stash_type:int=1",
                           .infer = infer,
                           .axes = axes,
                           .lower = lower,
                           .gradient = gradient,
                       },
                       simplified(""),
                       simplified("com.microsoft")};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::rms_normalization

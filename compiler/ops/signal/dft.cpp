// DFT: the discrete Fourier transform along an axis.
#include "compiler/kernels/signal_calls.hpp"
#include "compiler/ops/elementwise/elementwise.hpp"
#include "compiler/ops/gradient.hpp"
#include "compiler/ops/signal/roots.hpp"

namespace onnxc::ops::dft {
namespace {

using roots_of_unity::compute_type;
using roots_of_unity::has_table;
using roots_of_unity::roots;
using roots_of_unity::roots_read;
using roots_of_unity::work_of_element;

// DFT-17 has the axis as an attribute, 1 by default.
void upgrade(Upgrade& u) {
  if (u.version() >= 20) return;
  const std::int64_t axis = u.find_int("axis").value_or(1);
  u.remove("axis");
  u.set_input(2, u.constant(Tensor::scalar(axis)));
}

struct Sides {
  bool inverse, onesided;
  bool real_spectrum() const { return onesided && !inverse; }
  bool real_result() const { return onesided && inverse; }
};

Sides sides(const NodeView& n) { return {n.attr_int("inverse") != 0, n.attr_int("onesided") != 0}; }

const char* axis_field(const NodeView& n) {
  return n.node().version < 20 ? "attribute \"axis\"" : "input 2 \"axis\"";
}

// Nullopt when known only at run time.
std::optional<std::size_t> axis_of(const NodeView& n) {
  const std::size_t rank = n.input(0).rank();
  std::int64_t axis = -2;
  if (n.has_input(2)) {
    const Tensor* given = n.constant(2);
    if (!given) return std::nullopt;
    axis = given->to_int64s()[0];
  }
  const std::size_t at = n.axis(axis, rank, axis_field(n));
  n.require(at + 1 != rank, axis_field(n), "is the axis of real and imaginary parts");
  return at;
}

std::optional<Dim> length_of(const NodeView& n, std::size_t axis) {
  const Dim& in = (*n.input(0).shape)[axis];
  if (!n.has_input(1)) return sides(n).real_result() ? (in - 1) * 2 : in;
  if (const Tensor* t = n.constant(1)) return Dim(t->to_int64s()[0]);
  const auto& extent = n.input_value(1).extent;
  if (extent && extent->size() == 1) return (*extent)[0];
  return std::nullopt;
}

void check_parts(const Infer& n, const Dim& parts) {
  const char* const kInput = "input 0 \"input\"";
  n.require(!sides(n).real_spectrum() || !parts.is(2), "attribute \"onesided\"",
            "needs a real signal");
  n.require(!sides(n).real_result() || !parts.is(1), "attribute \"onesided\"",
            "needs a complex spectrum to invert");
  n.at_least(parts, sides(n).real_result() ? 2 : 1, kInput);
  n.at_most(parts, sides(n).real_spectrum() ? 1 : 2, kInput);
}

void infer(Infer& n) {
  n.output(0, n.elem(0), std::nullopt);
  n.one_value(1, "input 1 \"dft_length\"");
  n.one_value(2, "input 2 \"axis\"");
  if (!n.has_rank(0)) return;
  Shape out = n.shape(0);
  n.require(out.size() >= 2, "input 0 \"input\"", "rank {}, needs at least 2", out.size());
  check_parts(n, out.back());
  out.back() = sides(n).real_result() ? 1 : 2;
  const auto axis = axis_of(n);
  if (!axis) {
    for (std::size_t i = 0; i + 1 < out.size(); ++i) out[i] = n.unknown_extent();
    return n.output(0, n.elem(0), out);
  }
  const auto length = length_of(n, *axis);
  if (length) n.at_least(*length, 1, "input 1 \"dft_length\"");
  out[*axis] = !length                    ? n.unknown_extent()
               : sides(n).real_spectrum() ? Dim::floor_div(*length, 2) + 1
                                          : *length;
  n.output(0, n.elem(0), out);
}

// Elements of scratch for the axis that needs most.
Dim scratch_size(const Lower& n) {
  Dim most = 0;
  const Shape& out = n.out_shape(0);
  for (std::size_t i = 0; i + 1 < out.size(); ++i) {
    const Dim length = sides(n).real_spectrum() ? out[i] * 2 : out[i];
    most = Dim::max(most, length * (product(n.shape(0), i + 1, out.size() - 1) * 4 + 2));
  }
  return Dim::max(most, 1);
}

void lower_at_run(Lower& n) {
  const ElemType length = n.has_input(1) ? n.elem(1) : ElemType::int64;
  const auto axis = axis_of(n);
  if (!axis || !length_of(n, *axis))
    n.call("dft_extents", DftExtentsShape<Dim>{rank_of(n.shape(0)), n.shape(0), sides(n).inverse,
                                               sides(n).onesided})
        .in(1, length)
        .in(2, ElemType::int64)
        .extents(n.out_shape(0));
  n.call("dft_axis", DftAxisShape<Dim>{rank_of(n.shape(0)), n.shape(0), n.out_shape(0),
                                       scratch_size(n), sides(n).inverse, sides(n).onesided})
      .in(0)
      .in(1, length)
      .in(2, ElemType::int64)
      .out(0)
      .write(n.scratch(compute_type(n), scratch_size(n), "work"));
}

void lower(Lower& n) {
  const auto axis = axis_of(n);
  const auto length = axis ? length_of(n, *axis) : std::nullopt;
  if (!length || !has_table(*length)) return lower_at_run(n);
  const Shape& x = n.shape(0);
  const Dim inner = product(x, *axis + 1, x.size() - 1);
  const bool of_real = x.back().is(1) && !sides(n).inverse;
  const Index count = roots_read(length->value(), of_real);
  Call call = n.call(
      "dft", DftShape<Dim>{product(x, 0, *axis), x[*axis], inner, x.back(), n.out_shape(0)[*axis],
                           *length, count, sides(n).inverse, sides(n).onesided});
  call.in(0).read(roots(n, length->value(), count)).out(0);
  const std::int64_t work = work_of_element(n, length->value(), of_real);
  call.write(n.scratch(compute_type(n), Dim::max(inner * *length * work, 1), "work"));
}

// ---- derivative: the conjugate transform ------------------------------------------------------

struct Transform {
  std::int64_t axis;
  Term length;  // of the transform, int64 of rank 0
};

Transform transform_of(const Gradient& n) {
  const auto axis = axis_of(n);
  n.require_known(axis.has_value(), "input 2 \"axis\"", "the gradient needs it at compile time");
  const auto at = static_cast<std::int64_t>(*axis);
  if (!sides(n).real_spectrum()) return {at, extent_of(n.y(), at)};
  if (!n.has_input(1)) return {at, extent_of(n.x(0), at)};
  const Term scalar = n.emit("Reshape", {n.x(1), n.builder().constant(Tensor::ints({}))});
  return {at, convert(scalar, ElemType::int64)};
}

Term transformed(const Gradient& n, const Transform& t, Term v, Sides s) {
  return n.emit("DFT", {v, t.length, n.builder().integer(t.axis)},
                {{"inverse", std::int64_t{s.inverse}}, {"onesided", std::int64_t{s.onesided}}});
}

// How often each bin of a one-sided spectrum counts in the whole one, along the axis.
Term bin_counts(const Gradient& n, const Transform& t, Term bins) {
  const Term count = extent_of(bins, t.axis);
  const Term k = n.emit("Range", {n.builder().integer(0), count, n.builder().integer(1)});
  const Term alone = (k == n.builder().integer(0)) || (k * n.builder().integer(2) == t.length);
  std::vector<std::int64_t> shape(bins.type().rank(), 1);
  shape[static_cast<std::size_t>(t.axis)] = -1;
  const Term counts =
      choose(alone, n.builder().scalar(1, n.input(0).elem), n.builder().scalar(2, n.input(0).elem));
  return n.emit("Reshape", {counts, n.list(shape)});
}

void gradient(Gradient& n) {
  n.shape(0);
  const Sides s = sides(n);
  const Transform t = transform_of(n);
  const Term length = convert(t.length, n.input(0).elem);
  Term dx;
  if (s.real_result()) {
    const Term bins = transformed(n, t, n.dy(), {false, true});
    dx = bins * bin_counts(n, t, bins) / length;
  } else if (s.inverse) {
    dx = transformed(n, t, n.dy(), {false, false}) / length;
  } else {
    const Term whole = s.onesided ? fit_extent(n.dy(), t.axis, t.length) : n.dy();
    dx = transformed(n, t, whole, {true, false}) * length;
  }
  dx = fit_extent(dx, t.axis, extent_of(n.x(0), t.axis));
  // Of a real signal the real part.
  if (!n.shape(0).back().is(2)) {
    const auto last = static_cast<std::int64_t>(n.shape(0).size()) - 1;
    const Term parts = n.emit("Shape", {n.x(0)}, {{"start", last}});
    dx = n.emit("Slice", {dx, n.list({0}), parts, n.list({last})});
  }
  n.dx(0, dx);
}

constexpr Op rows[] = {{
    .name = "DFT",
    .versions = "17 20",
    .inputs = "input:T1 dft_length:T2? axis:int64?",
    .outputs = "output:T1",
    .types = "T1: floats; T2: int32 int64",
    .attributes = "axis:int=1@17-19 inverse:int=0 onesided:int=0",
    .upgrade = upgrade,
    .infer = infer,
    .lower = lower,
    .gradient = gradient,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::dft

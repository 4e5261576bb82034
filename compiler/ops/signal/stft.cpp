// STFT: spectra of the overlapping frames of a signal.
#include "compiler/kernels/signal_calls.hpp"
#include "compiler/ops/elementwise/elementwise.hpp"
#include "compiler/ops/gradient.hpp"
#include "compiler/ops/signal/roots.hpp"

namespace onnxc::ops::stft {
namespace {

// torch.onnx leaves out the last axis of a real signal, and ONNX Runtime takes that.
Shape signal_shape(const NodeView& n) {
  Shape x = *n.input(0).shape;
  n.require(x.size() == 2 || x.size() == 3, "input 0 \"signal\"", "rank {}, needs 3", x.size());
  if (x.size() == 2) x.push_back(1);
  return x;
}

std::optional<std::int64_t> known(const NodeView& n, std::size_t i, const char* name) {
  const auto value = n.ints(i);
  if (!value) return std::nullopt;
  const std::string field = fmt::format("input {} \"{}\"", i, name);
  n.require(value->size() == 1, field, "must hold one value");
  n.require((*value)[0] >= 1, field, "{} is not positive", (*value)[0]);
  return (*value)[0];
}

std::optional<Dim> frame_length(const NodeView& n) {
  if (n.has_input(3)) return known(n, 3, "frame_length");
  if (!n.has_input(2)) return (*n.input(0).shape)[1];
  if (!n.input(2).has_rank()) return std::nullopt;
  return (*n.input(2).shape)[0];
}

const char* length_field(const NodeView& n) {
  if (n.has_input(3)) return "input 3 \"frame_length\"";
  return n.has_input(2) ? "input 2 \"window\"" : "input 0 \"signal\"";
}

void infer(Infer& n) {
  n.output(0, n.elem(0), std::nullopt);
  n.one_value(1, "input 1 \"frame_step\"");
  n.one_value(3, "input 3 \"frame_length\"");
  if (n.has_rank(2)) n.require(n.rank(2) == 1, "input 2 \"window\"", "rank {}, needs 1", n.rank(2));
  if (!n.has_rank(0)) return;
  const Shape x = signal_shape(n);
  const bool onesided = n.attr_int("onesided") != 0;
  n.require(!x[2].is_const() || x[2].is(1) || x[2].is(2), "input 0 \"signal\"",
            "the last extent is {}, not 1 or 2", x[2].to_string());
  n.require(!onesided || !x[2].is(2), "attribute \"onesided\"", "needs a real signal");
  const auto length = frame_length(n);
  const auto step = known(n, 1, "frame_step");
  n.at_least(x[2], 1, "input 0 \"signal\"");
  n.at_most(x[2], onesided ? 1 : 2, "input 0 \"signal\"");
  Shape out{x[0], n.unknown_extent(x[1]), n.unknown_extent(x[1] + 1), 2};
  if (length) {
    n.at_most(*length, x[1], length_field(n));
    n.at_least(*length, 1, length_field(n));
    out[2] = onesided ? Dim::floor_div(*length, 2) + 1 : *length;
    if (step) out[1] = Dim::floor_div(x[1] - *length, *step) + 1;
  }
  n.output(0, n.elem(0), out);
}

// Step and length are constants.
bool lower_by_table(Lower& n) {
  const auto length = frame_length(n);
  const auto step = known(n, 1, "frame_step");
  if (!length || !step || !roots_of_unity::has_table(*length)) return false;
  const Shape x = signal_shape(n);
  const Shape& y = n.out_shape(0);
  const std::int64_t count = length->value();
  const Dim used = n.has_input(2) ? Dim::min(n.shape(2)[0], count) : Dim(count);
  const Index read = roots_of_unity::roots_read(count, x[2].is(1));
  const std::int64_t work = count * roots_of_unity::work_of_element(n, count, x[2].is(1));
  n.call("stft_by_table",
         StftByTableShape<Dim>{x[0], x[1], x[2], y[1], y[2], *step, count, read, used})
      .in(0)
      .in(2, n.elem(0))
      .read(roots_of_unity::roots(n, count, read))
      .out(0)
      .write(n.scratch(roots_of_unity::compute_type(n), work, "work"));
  return true;
}

void lower(Lower& n) {
  if (lower_by_table(n)) return;
  const Shape x = signal_shape(n);
  const Shape& y = n.out_shape(0);
  const bool onesided = n.attr_int("onesided") != 0;
  const Dim longest = onesided ? y[2] * 2 : y[2];
  const ElemType work = roots_of_unity::compute_type(n);
  if (!frame_length(n) || !known(n, 1, "frame_step"))
    n.call("stft_extents",
           StftExtentsShape<Dim>{x[1], n.has_input(2) ? n.shape(2)[0] : Dim(-1), onesided})
        .in(1)
        .in(3, n.elem(1))
        .extents({y[1], y[2]});
  n.call("stft", StftShape<Dim>{x[0], x[1], x[2], n.has_input(2) ? n.shape(2)[0] : Dim(-1), y[1],
                                y[2], longest, onesided})
      .in({0, 1})
      .in(2, n.elem(0))
      .in(3, n.elem(1))
      .out(0)
      .write(n.scratch(work, Dim::max(longest * 6, 1), "work"));
}

// ---- the definition as nodes, which the gradient goes through --------------------------------

Term as_scalar(const Gradient& n, std::size_t i) {
  const Term scalar = n.emit("Reshape", {n.x(i), n.builder().constant(Tensor::ints({}))});
  return convert(scalar, ElemType::int64);
}

// The frames, [batch, frames, length, parts], times the window with zeros past its end,
// transformed.
void gradient(Gradient& n) {
  Term signal = n.x(0);
  if (n.shape(0).size() == 2) signal = n.emit("Unsqueeze", {signal, n.list({2})});
  const Term length = n.has_input(3)   ? as_scalar(n, 3)
                      : n.has_input(2) ? extent_of(n.x(2), 0)
                                       : extent_of(n.x(0), 1);
  const auto numbers = [&](Term count) {
    return n.emit("Range", {n.builder().integer(0), count, n.builder().integer(1)});
  };
  const Term starts = numbers(extent_of(n.y(), 1)) * as_scalar(n, 1);
  const Term at = n.emit("Unsqueeze", {starts, n.list({1})}) + numbers(length);
  Term frames = n.emit("Gather", {signal, at}, {{"axis", std::int64_t{1}}});
  if (n.has_input(2))
    frames = frames * n.emit("Unsqueeze", {fit_extent(n.x(2), 0, length), n.list({1})});
  n.by_definition({n.emit("DFT", {frames, length, n.builder().integer(2)},
                          {{"onesided", n.attr_int("onesided")}})});
}

constexpr Op rows[] = {{
    .name = "STFT",
    .versions = "17",
    .inputs = "signal:T1 frame_step:T2 window:T1? frame_length:T2?",
    .outputs = "output:T1",
    .types = "T1: floats; T2: int32 int64",
    .attributes = "onesided:int=1",
    .infer = infer,
    .lower = lower,
    .gradient = gradient,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::stft

// com.microsoft DynamicQuantizeLSTM: LSTM with 8-bit weights. The data are quantised by the range
// of all, the state in every time step by its own, and both are multiplied as integers: by
// MatMulInteger for all steps at once, and by onnxc::LstmInt8. Weights that are no constants are
// dequantised to float32, and the data stay so.
#include <algorithm>
#include <cstdlib>
#include <limits>

#include "compiler/ops/int8_weights.hpp"
#include "compiler/ops/recurrent/recurrent.hpp"
#include "compiler/ops/upgrade.hpp"
#include "templates/convolution/conv2d_int8_nhwc.hpp"

namespace onnxc::ops::dynamic_quantize_lstm {
namespace {

const CellKind kKind{4, {"Sigmoid", "Tanh", "Tanh"}};

// The inputs of LstmInt8 that LSTM does not have: what is added to R; a scale for each column; the
// products of the data with the input weights and the biases, of each direction.
enum : std::size_t { kRest = 8, kScales = 9, kProducts = 10 };

// Dequantises weights [directions, columns, 4 * hidden], with a scale and zero point for each
// direction or column.
Value* dequantized_weights(Upgrade& n, Value* w, Value* scale, Value* zero) {
  const std::int64_t scale_shape[] = {0, 1, -1};
  Value* shape = n.constant(Tensor::ints(scale_shape));
  Value* one = n.constant(Tensor::scalar(1.0f));
  const auto as_float = [&](Value* x) { return n.emit("DequantizeLinear", {x, one}); };
  Value* shift = n.emit("Reshape", {as_float(zero), shape});
  Value* factor = n.emit("Reshape", {scale, shape});
  Value* dequantized = n.emit("Mul", {n.emit("Sub", {as_float(w), shift}), factor});
  return n.emit("Transpose", {dequantized}, {{"perm", std::vector<std::int64_t>{0, 2, 1}}});
}

void become_lstm(Upgrade& n) {
  std::vector<Value*> in = n.node().inputs;
  Value* w = dequantized_weights(n, in[1], in[8], in[9]);
  Value* r = dequantized_weights(n, in[2], in[10], in[11]);
  n.mutable_node().inputs = {in[0], w, r, in[3], in[4], in[5], in[6], in[7]};
  n.to("LSTM");
}

// The element of [directions] or [directions, columns] that belongs to a column.
double of_column(const Tensor& t, std::int64_t direction, std::int64_t column) {
  const std::int64_t each = t.size() / std::max<std::int64_t>(t.dims()[0], 1);
  return t.number(direction * each + (each > 1 ? column : 0));
}

// Whether t is [directions] or [directions, columns].
bool fits_columns(const Tensor& t, std::int64_t directions, std::int64_t columns) {
  return !t.dims().empty() && t.dims()[0] == directions &&
         (t.size() == directions || t.size() == directions * columns);
}

// R as LSTM has it, [directions, columns, hidden], less its zero points, with a scale for each
// column.
struct StateWeights {
  SplitWeights split;
  Tensor scales;
};

std::optional<StateWeights> state_weights(const Upgrade& n) {
  const Tensor *r = n.constant(2), *scale = n.constant(10), *zero = n.constant(11);
  if (!r || !scale || !zero || r->dims().size() != 3 || r->size() == 0) return {};
  const std::int64_t directions = r->dims()[0], hidden = r->dims()[1], columns = r->dims()[2];
  if (!fits_columns(*scale, directions, columns) || !fits_columns(*zero, directions, columns))
    return {};
  std::vector<std::int16_t> rows;
  std::vector<float> scales;
  const std::vector<std::int64_t> numbers = r->to_int64s();
  for (std::int64_t i = 0; i < directions * columns; ++i) {
    const std::int64_t d = i / columns, j = i % columns;
    scales.push_back(static_cast<float>(of_column(*scale, d, j)));
    const auto z = static_cast<std::int64_t>(of_column(*zero, d, j));
    std::int64_t most = 0;
    for (std::int64_t k = 0; k < hidden; ++k) {
      const std::int64_t v = numbers[static_cast<std::size_t>((d * hidden + k) * columns + j)] - z;
      rows.push_back(static_cast<std::int16_t>(v));
      most += 255 * std::abs(v);
    }
    if (most > std::numeric_limits<std::int32_t>::max()) return {};
  }
  const std::vector<std::int64_t> shape = {directions, columns, hidden};
  auto split = without_zero_points(Tensor::of<std::int16_t>(ElemType::int16, shape, rows), nullptr);
  if (!split) return {};
  const std::vector<std::int64_t> of_scales = {directions, columns};
  return StateWeights{std::move(*split), Tensor::of<float>(ElemType::float32, of_scales, scales)};
}

Value* integer(Upgrade& n, std::int64_t v) { return n.constant(Tensor::scalar(v)); }

// Part d of the first axis.
Value* of_direction(Upgrade& n, Value* x, std::int64_t d) {
  return n.emit("Gather", {x, integer(n, d)}, {{"axis", std::int64_t{0}}});
}

// The data of steps that no sequence has do not count: zeros in their place.
Value* without_padding(Upgrade& n, Value* x, Value* lengths) {
  const auto to_int64 = static_cast<std::int64_t>(ElemType::int64);
  Value* steps = of_direction(n, n.emit("Shape", {x}), 0);
  Value* times = n.emit("Range", {integer(n, 0), steps, integer(n, 1)});
  Value* longest = n.emit("ReduceMax", {n.emit("Cast", {lengths}, {{"to", to_int64}})},
                          {{"keepdims", std::int64_t{0}}});
  const std::int64_t axes[] = {1, 2};
  Value* counts =
      n.emit("Unsqueeze", {n.emit("Less", {times, longest}), n.constant(Tensor::ints(axes))});
  return n.emit("Where", {counts, x, n.constant(Tensor::scalar(0.0f))});
}

// The data times the input weights of a direction, plus the biases: [steps, batch, 4 * hidden].
Value* input_products(Upgrade& n, const std::vector<Value*>& data, std::int64_t d) {
  const std::vector<Value*>& in = n.node().inputs;
  Value* w = of_direction(n, in[1], d);
  Value* sums = n.emit("MatMulInteger", {data[0], w, data[2], of_direction(n, in[9], d)});
  const auto to_float = static_cast<std::int64_t>(ElemType::float32);
  Value* scale = n.emit("Mul", {data[1], of_direction(n, in[8], d)});
  Value* y = n.emit("Mul", {n.emit("Cast", {sums}, {{"to", to_float}}), scale});
  if (!n.has_input(3)) return y;
  const auto halves = n.emit_all("Split", {of_direction(n, in[3], d)}, 2,
                                 {{"axis", std::int64_t{0}}, {"num_outputs", std::int64_t{2}}});
  return n.emit("Add", {y, n.emit("Add", {halves[0], halves[1]})});
}

// W as R has it, and its scales and zero points.
void check_input_weights(const Upgrade& n) {
  const auto &w = n.constant(1)->dims(), &r = n.constant(2)->dims();
  n.require(w.size() == 3 && w[0] == r[0] && w[2] == r[2], input_field(1, "W"),
            "{} does not go with R {}", to_string(to_shape(w)), to_string(to_shape(r)));
  for (std::size_t i : {8, 9})
    if (const Tensor* t = n.constant(i))
      n.require(fits_columns(*t, r[0], r[2]), input_field(i, i == 8 ? "W_scale" : "W_zero_point"),
                "{}, needs a value for each direction or column", to_string(to_shape(t->dims())));
}

void upgrade(Upgrade& n) {
  std::vector<Value*> in = n.node().inputs;
  const auto r = state_weights(n);
  if (!r || !n.constant(1)) return become_lstm(n);
  check_input_weights(n);
  Value* x = n.has_input(4) ? without_padding(n, in[0], in[4]) : in[0];
  const std::vector<Value*> data = n.emit_all("DynamicQuantizeLinear", {x}, 3);
  std::vector<Value*> inputs = {in[0], nullptr, n.constant(r->split.rows), nullptr, in[4], in[5],
                                in[6], in[7]};
  inputs.push_back(r->split.rest ? n.constant(*r->split.rest) : nullptr);
  inputs.push_back(n.constant(r->scales));
  for (std::int64_t d = 0; d < r->scales.dims()[0]; ++d)
    inputs.push_back(input_products(n, data, d));
  n.mutable_node().inputs = std::move(inputs);
  n.to("onnxc::LstmInt8");
}

void infer(Infer& n) {
  if (!n.has_rank(0)) {
    for (std::size_t i = 0; i < 3; ++i) n.output(i, ElemType::float32, std::nullopt);
    return;
  }
  const Recurrent r = read_recurrent(n, kKind);
  const Dim d(r.directions);
  n.output(0, ElemType::float32, Shape{r.steps, d, r.batch, r.hidden});
  n.output(1, ElemType::float32, Shape{d, r.batch, r.hidden});
  n.output(2, ElemType::float32, Shape{d, r.batch, r.hidden});
}

Tensor rows_of(const Tensor& t, int direction) {
  const std::int64_t columns = t.dims()[1], hidden = t.dims()[2], size = columns * hidden;
  const std::vector<std::int64_t> shape = {columns, hidden};
  return Tensor::of<std::int8_t>(
      ElemType::int8, shape,
      t.as<std::int8_t>().subspan(static_cast<std::size_t>(direction * size),
                                  static_cast<std::size_t>(size)));
}

Tensor scales_of(const Tensor& t, int direction) {
  const std::int64_t columns = t.dims()[1];
  const std::vector<std::int64_t> shape = {columns};
  return Tensor::of<float>(ElemType::float32, shape,
                           t.as<float>().subspan(static_cast<std::size_t>(direction * columns),
                                                 static_cast<std::size_t>(columns)));
}

void lower_direction(Lower& n, const Recurrent& r, int direction) {
  const Tensor rows = rows_of(*n.constant(2), direction);
  const auto rest =
      n.has_input(kRest) ? std::optional(rows_of(*n.constant(kRest), direction)) : std::nullopt;
  const Int8Weights w{&rows, rest ? &*rest : nullptr, nullptr};
  const Dim state = r.batch * r.hidden, columns = Dim(4) * r.hidden;
  Int8ConvShape<Index> packing = packing_shape(pointwise(r.batch, r.hidden, columns));
  const int panel = choose_int8_panel(n.target(), columns.value());
  PackedInt8 packed = pack_int8(w, packing, panel);
  const WeightSums sums =
      weight_sum_panels(n, w, columns.value(), panel, panel == 1 ? 128 : 0);  // see int8_tile.hpp
  const LstmShape<Dim> unit = {
      recurrent_sizes(n, r, direction), activation<ActivationF<Dim>>(r, direction, 0),
      activation<ActivationG<Dim>>(r, direction, 1), activation<ActivationH<Dim>>(r, direction, 2),
      n.attr_int("input_forget") != 0};
  Call call = n.call(kLstmInt8, LstmInt8Shape<Dim>{unit, packing.residual_words});
  call.template_arg(std::to_string(panel)).in(kProducts + static_cast<std::size_t>(direction));
  call.begin_struct("Int8StateWeights").read(n.constant(std::move(packed.w), "r"));
  if (packing.residual_words > 0)
    call.read(n.constant(std::move(packed.residual_places), "residual_places"));
  else
    call.null(ElemType::int32);
  call.read(sums.sums);
  sums.bias < 0 ? call.null(ElemType::int32) : call.read(sums.bias);
  call.read(n.constant(scales_of(*n.constant(kScales), direction), "scales")).end_struct();
  call.in(7, ElemType::float32).begin_struct("LstmStates").in(4);
  for (std::size_t i : {5, 6}) call.in(i, ElemType::float32);
  for (std::size_t i : {0, 1, 2}) call.out(i, ElemType::float32);
  call.end_struct().begin_struct("Int8StateScratch");
  call.write(n.scratch(ElemType::float32, Dim(2) * state, "h"));
  call.write(n.scratch(ElemType::float32, state, "c"));
  call.write(n.scratch(ElemType::float32, r.batch * columns, "gates"));
  call.write(n.scratch(ElemType::uint8, state + Dim(kByteSlack), "bytes"));
  call.write(n.scratch(ElemType::int32, sums.count, "start")).end_struct();
  call.macs(r.steps * r.batch * columns * r.hidden);
}

void lower(Lower& n) {
  const Recurrent r = read_recurrent(n, kKind);
  for (int d = 0; d < r.directions; ++d) lower_direction(n, r, d);
}

constexpr Op rows[] = {
    contrib({
        .name = "DynamicQuantizeLSTM",
        .inputs = "X:T W:T2 R:T2 B:T? sequence_lens:int32? initial_h:T? initial_c:T? P:T? "
                  "W_scale:T W_zero_point:T2 R_scale:T R_zero_point:T2",
        .outputs = "Y:T? Y_h:T? Y_c:T?",
        .types = "T: float; T2: int8 uint8",
        .attributes =
            "activation_alpha:floats activation_beta:floats activations:strings clip:float "
            "direction:string=forward hidden_size:int input_forget:int=0",
        .upgrade = upgrade,
    }),
    internal({
        .name = "LstmInt8",
        .inputs = "X:T W:T? R:int8 B:T? sequence_lens:int32? initial_h:T? initial_c:T? P:T? "
                  "R_rest:int8? R_scale:T products:T products_back:T?",
        .outputs = "Y:T? Y_h:T? Y_c:T?",
        .types = "T: float",
        .attributes =
            "activation_alpha:floats activation_beta:floats activations:strings clip:float "
            "direction:string=forward hidden_size:int input_forget:int=0",
        .infer = infer,
        .lower = lower,
    })};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::dynamic_quantize_lstm

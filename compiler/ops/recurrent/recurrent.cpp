// Checks, weight packing and input products of recurrent operators.
#include "compiler/ops/recurrent/recurrent.hpp"

#include <algorithm>

#include "compiler/kernels/recurrent_calls.hpp"
#include "compiler/ops/window.hpp"
#include "templates/matmul/gemm.hpp"
#include "templates/recurrent/turns.hpp"
#include "templates/recurrent/unit_blocks.hpp"

namespace onnxc::ops {
namespace {

struct KnownActivation {
  const char* name;
  bool takes_alpha, takes_beta;
  float alpha, beta;
};

// In the order of Activation::Kind.
constexpr KnownActivation kActivations[] = {
    {"relu", false, false, 0, 0},         {"tanh", false, false, 0, 0},
    {"sigmoid", false, false, 0, 0},      {"affine", true, true, 1, 0},
    {"leakyrelu", true, false, 0.01f, 0}, {"thresholdedrelu", true, false, 1, 0},
    {"scaledtanh", true, true, 1, 1},     {"hardsigmoid", true, true, 0.2f, 0.5f},
    {"elu", true, false, 1, 0},           {"softsign", false, false, 0, 0},
    {"softplus", false, false, 0, 0},
};

std::string lower_case(std::string s) {
  for (char& c : s) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return s;
}

const std::vector<float>& floats_or_none(const NodeView& n, const char* name) {
  static const std::vector<float> none;
  return n.has_attr(name) ? n.attr_floats(name) : none;
}

std::vector<ActivationChoice> read_activations(const NodeView& n, const CellKind& kind,
                                               int directions) {
  const std::size_t count = kind.activations.size() * static_cast<std::size_t>(directions);
  std::vector<std::string> names;
  if (n.has_attr("activations")) names = n.attr_strings("activations");
  if (names.empty())
    for (std::size_t i = 0; i < count; ++i)
      names.emplace_back(kind.activations[i % kind.activations.size()]);
  n.require(names.size() == count, "attribute \"activations\"", "has {} names, needs {}",
            names.size(), count);
  const auto& alphas = floats_or_none(n, "activation_alpha");
  const auto& betas = floats_or_none(n, "activation_beta");
  std::size_t alpha = 0, beta = 0;
  std::vector<ActivationChoice> out;
  for (const std::string& name : names) {
    const auto known =
        std::find_if(std::begin(kActivations), std::end(kActivations),
                     [&](const KnownActivation& a) { return lower_case(name) == a.name; });
    n.require(known != std::end(kActivations), "attribute \"activations\"", "{} is no activation",
              quoted(name));
    ActivationChoice c{static_cast<int>(known - std::begin(kActivations)), known->alpha,
                       known->beta};
    if (known->takes_alpha && alpha < alphas.size()) c.alpha = alphas[alpha++];
    if (known->takes_beta && beta < betas.size()) c.beta = betas[beta++];
    out.push_back(c);
  }
  return out;
}

void require_shape(const NodeView& n, std::size_t input, const char* name, const Shape& want) {
  if (!n.has_input(input) || !n.input(input).has_rank()) return;
  const Shape& s = *n.input(input).shape;
  const std::string field = input_field(input, name);
  n.require(s.size() == want.size(), field, "rank {}, needs {}", s.size(), want.size());
  for (std::size_t i = 0; i < s.size(); ++i) n.same(s[i], want[i], field);
}

int read_directions(const NodeView& n, Recurrent& r) {
  const std::string& d = n.attr_string("direction");
  r.reversed = d == "reverse";
  n.require(d == "forward" || d == "reverse" || d == "bidirectional", "attribute \"direction\"",
            "{} is no direction", quoted(d));
  return d == "bidirectional" ? 2 : 1;
}

Dim read_hidden(const NodeView& n, const Shape& w_r) {
  const auto given = n.find_int("hidden_size");
  if (!given) return w_r[2];
  n.require(*given >= 1 && *given < (1 << 30), "attribute \"hidden_size\"", "{} is not positive",
            *given);
  n.require(!w_r[2].is_const() || w_r[2].is(*given), "attribute \"hidden_size\"",
            "says {}, R has {}", *given, w_r[2].to_string());
  n.same(w_r[2], *given, "attribute \"hidden_size\"");
  return *given;
}

Dim unit_block(const NodeView& n, const Recurrent& r) {
  constexpr std::int64_t kUnits = 16, kColumns = 64, kSmallColumns = 128;
  if (!has_packed_weights(n) || r.hidden.value() % kUnits != 0) return r.hidden;
  // Small weights stay in the nearest cache: nothing has to be fetched besides the cells.
  if (r.hidden.value() * r.gates <= kSmallColumns) return r.hidden;
  std::int64_t block = kUnits;
  for (std::int64_t units = kUnits; units * r.gates <= kColumns; units += kUnits) {
    if (r.hidden.value() % units == 0) block = units;
  }
  return block;
}

}  // namespace

Recurrent read_recurrent(const NodeView& n, const CellKind& kind) {
  Recurrent r;
  r.directions = read_directions(n, r);
  const auto layout = n.find_int("layout");
  n.require(!layout || *layout == 0 || *layout == 1, "attribute \"layout\"", "{} is no layout",
            layout.value_or(0));
  r.batch_first = layout && *layout == 1;
  const Shape &x = *n.input(0).shape, &w_r = *n.input(2).shape;
  n.require(x.size() == 3, input_field(0, "X"), "rank {}, needs 3", x.size());
  n.require(w_r.size() == 3, input_field(2, "R"), "rank {}, needs 3", w_r.size());
  r.steps = x[r.batch_first ? 1 : 0];
  r.batch = x[r.batch_first ? 0 : 1];
  r.inputs = x[2];
  r.hidden = read_hidden(n, w_r);
  r.gates = kind.gates;
  r.block = unit_block(n, r);
  const Dim gates(kind.gates), d(r.directions);
  require_shape(n, 1, "W", {d, gates * r.hidden, r.inputs});
  // The checks make the two equal; the weights often know what the data leave open.
  const std::optional<Shape> w = n.has_input(1) ? n.input(1).shape : std::nullopt;
  if (w && w->size() == 3 && (*w)[2].is_const()) r.inputs = (*w)[2];
  require_shape(n, 2, "R", {d, gates * r.hidden, r.hidden});
  require_shape(n, 3, "B", {d, Dim(2) * gates * r.hidden});
  require_shape(n, 4, "sequence_lens", {r.batch});
  const Shape state = r.batch_first ? Shape{r.batch, d, r.hidden} : Shape{d, r.batch, r.hidden};
  require_shape(n, 5, "initial_h", state);
  require_shape(n, 6, "initial_c", state);
  require_shape(n, 7, "P", {d, Dim(3) * r.hidden});
  r.activations = read_activations(n, kind, r.directions);
  if (n.has_attr("clip"))
    n.require(n.attr_float("clip") > 0, "attribute \"clip\"", "{} is not positive",
              n.attr_float("clip"));
  return r;
}

void infer_recurrent(Infer& n, const CellKind& kind, ElemType elem) {
  if (!n.has_rank(0) || !n.has_rank(1) || !n.has_rank(2)) {
    for (std::size_t i = 0; i < 3; ++i) n.output(i, elem, std::nullopt);
    return;
  }
  const Recurrent r = read_recurrent(n, kind);
  const Dim d(r.directions);
  const Shape state = r.batch_first ? Shape{r.batch, d, r.hidden} : Shape{d, r.batch, r.hidden};
  n.output(
      0, elem,
      r.batch_first ? Shape{r.batch, r.steps, d, r.hidden} : Shape{r.steps, d, r.batch, r.hidden});
  n.output(1, elem, state);
  n.output(2, elem, state);
}

bool has_packed_weights(const NodeView& n) {
  return n.input(0).elem == ElemType::float32 && n.constant(1) && n.constant(2) &&
         (!n.has_input(3) || n.constant(3));
}

bool multiplies_packed(const Lower& n, const Recurrent& r) {
  if (has_packed_weights(n)) return true;
  return n.elem(0) == ElemType::float32 && n.target().vector_floats > 1 && r.hidden.is_const() &&
         r.inputs.is_const();
}

ElemType compute_elem(ElemType elem) {
  return elem == ElemType::float64 ? ElemType::float64 : ElemType::float32;
}

namespace {

Tensor direction_bias(const Tensor& b, std::int64_t columns, std::int64_t recurrent,
                      int direction) {
  TensorBuilder out(ElemType::float32, {columns});
  const float* from = b.as<float>().data() + direction * 2 * columns;
  for (std::int64_t j = 0; j < columns; ++j)
    out.data<float>()[j] = from[j] + (j < recurrent ? from[columns + j] : 0.0f);
  return out.take();
}

Tensor matrix_of(const Tensor& t, std::int64_t first_row, std::int64_t rows, std::int64_t columns) {
  const auto all = t.as<float>();
  return Tensor::of<float>(ElemType::float32, {rows, columns},
                           all.subspan(static_cast<std::size_t>(first_row * columns),
                                       static_cast<std::size_t>(rows * columns)));
}

// The rows of t, [gates * hidden, columns], as kernels of one sequence read them: by blocks of a
// vector's lanes, with zeros to fill the last one. `within` [gate][unit] of a block are columns if
// the weights are read along the depth, otherwise rows.
Tensor by_vectors(const Recurrent& r, const Tensor& t, std::int64_t gates, std::int64_t columns,
                  bool along_depth) {
  const std::int64_t hidden = r.hidden.value();
  TensorBuilder out(ElemType::float32, {gates * padded_units(hidden, r.lanes), columns});
  const float* from = t.as<float>().data();
  float* to = out.data<float>();
  std::fill_n(to, gates * padded_units(hidden, r.lanes) * columns, 0.0f);
  for (std::int64_t first = 0, width = 0; first < hidden; first += width) {
    width = first + r.lanes <= hidden ? r.lanes : last_block(hidden - first, r.lanes);
    const std::int64_t rows = gates * width;
    for (std::int64_t i = 0; i < rows * columns; ++i) {
      const std::int64_t row = along_depth ? i % rows : i / columns;
      const std::int64_t column = along_depth ? i / rows : i % columns;
      const std::int64_t unit = first + row % width;
      if (unit < hidden) to[i] = from[(row / width * hidden + unit) * columns + column];
    }
    to += rows * columns;
  }
  return out.take();
}

// The row of gate g and unit u moves to [block][gate][unit of the block].  t: [gates * hidden,
// columns].
Tensor by_blocks(const Recurrent& r, const Tensor& t, std::int64_t gates, std::int64_t columns) {
  if (r.lanes > 0) return by_vectors(r, t, gates, columns, false);
  const std::int64_t hidden = r.hidden.value(), block = r.block.value();
  TensorBuilder out(ElemType::float32, {gates * hidden, columns});
  const float* from = t.as<float>().data();
  for (std::int64_t g = 0; g < gates; ++g) {
    for (std::int64_t u = 0; u < hidden; ++u) {
      const std::int64_t row = (u / block * gates + g) * block + u % block;
      std::copy_n(from + (g * hidden + u) * columns, columns, out.data<float>() + row * columns);
    }
  }
  return out.take();
}

// `columns` rows of W or R, from `first` on, in panels.
BufferId pack_in_run(Lower& n, std::size_t input, const PackRecurrentShape<Dim>& shape, Tile tile) {
  Dim size = 0;
  with_panel(tile.panel, [&](auto width) {
    size = packed_gemm_size<decltype(width)::value>(shape.inputs.value(), shape.columns.value());
  });
  const BufferId packed = n.scratch(ElemType::float32, Dim::max(size, 1), "packed");
  n.call("pack_recurrent", shape).template_arg(std::to_string(tile.panel)).in(input).write(packed);
  return packed;
}

BufferId lower_input_in_run(Lower& n, const Recurrent& r, const Dim& rows, const Dim& columns,
                            const Dim& recurrent_bias, int direction) {
  const Tile tile = choose_tile(n.target(), columns);
  const BufferId packed = pack_in_run(n, 1, {r.inputs, columns, Dim(direction) * columns}, tile);
  Arg bias = null_arg();
  if (n.has_input(3)) {
    const BufferId sums = n.scratch(ElemType::float32, columns, "bias");
    n.call("add_recurrent_biases", RecurrentBiasShape<Dim>{columns, recurrent_bias, direction})
        .in(3)
        .write(sums);
    bias = read_arg(sums);
  }
  const BufferId out = n.scratch(ElemType::float32, rows * columns, "input");
  n.call(GemmCall<Dim, Arg>{tile,
                            {rows, r.inputs, columns, r.inputs, columns},
                            {n.input_arg(0), read_arg(packed), bias, write_arg(out), {}}})
      .macs(rows * r.inputs * columns);
  return out;
}

// Constant weights of the input, by blocks of units, and their bias, or -1.
struct PackedInput {
  BufferId w, bias = -1;
};

PackedInput pack_input(Lower& n, const Recurrent& r, const Dim& columns, const Dim& recurrent_bias,
                       int direction, Tile tile) {
  const std::int64_t c = columns.value(), k = r.inputs.value();
  const Tensor w = by_blocks(r, matrix_of(*n.constant(1), direction * c, c, k), r.gates, k);
  const std::int64_t rows = w.dims()[0];
  PackedInput packed = {n.constant(pack_gemm(w, k, rows, true, 1.0f, tile.panel), "w")};
  if (const Tensor* b = n.constant(3)) {
    const Tensor sums = direction_bias(*b, c, recurrent_bias.value(), direction);
    packed.bias = n.constant(by_blocks(r, sums, r.gates, 1), "bias");
  }
  return packed;
}

BufferId lower_packed_input(Lower& n, const Recurrent& r, const Dim& rows, const Dim& gate_columns,
                            const Dim& recurrent_bias, int direction) {
  const Dim columns =
      r.lanes == 0 ? gate_columns : Dim(r.gates * padded_units(r.hidden.value(), r.lanes));
  const Tile tile = choose_tile(n.target(), columns);
  const auto [packed, bias_buffer] =
      pack_input(n, r, gate_columns, recurrent_bias, direction, tile);
  const BufferId out = n.scratch(ElemType::float32, rows * columns, "input");
  const Arg bias = bias_buffer < 0 ? null_arg() : read_arg(bias_buffer);
  n.call(GemmCall<Dim, Arg>{tile,
                            {rows, r.inputs, columns, r.inputs, columns},
                            {n.input_arg(0), read_arg(packed), bias, write_arg(out), {}}})
      .macs(rows * r.inputs * columns);
  return out;
}

}  // namespace

bool multiplies_in_step(const Recurrent& r) {
  constexpr std::int64_t kFew = 4;
  return r.steps.is(1) || r.inputs.value() <= kFew;
}

SequenceWeights pack_sequence(Lower& n, const Recurrent& r, int first, int count,
                              const Dim& recurrent_bias, int direction, const std::string& role) {
  const std::int64_t h = r.hidden.value(), k = multiplies_in_step(r) ? r.inputs.value() : 0;
  const std::int64_t row = (direction * r.gates + first) * h, rows = count * h;
  const Tensor input = matrix_of(*n.constant(1), row, rows, k);
  const Tensor recurrent = matrix_of(*n.constant(2), row, rows, h);
  TensorBuilder both(ElemType::float32, {rows, k + h});
  for (std::int64_t i = 0; i < rows; ++i) {
    std::copy_n(input.as<float>().data() + i * k, k, both.data<float>() + i * (k + h));
    std::copy_n(recurrent.as<float>().data() + i * h, h, both.data<float>() + i * (k + h) + k);
  }
  SequenceWeights packed = {n.constant(by_vectors(r, both.take(), count, k + h, true), role)};
  const Tensor* const b = n.constant(3);
  if (b == nullptr || k == 0) return packed;
  const Tensor sums = direction_bias(*b, r.gates * h, recurrent_bias.value(), direction);
  const Tensor own = matrix_of(sums, first * h, rows, 1);
  packed.start = n.constant(by_vectors(r, own, count, 1, true), "bias");
  return packed;
}

BufferId sequence_products(Lower& n, const Recurrent& r, const Dim& recurrent_bias, int direction) {
  return multiplies_in_step(r) ? -1 : lower_input(n, r, recurrent_bias, direction);
}

BufferId sequence_turns(Lower& n, const Recurrent& r) {
  // Handing a state to another core and back costs as much as reading some 30 KiB.
  constexpr std::int64_t kLeastBytes = 128 << 10;
  const std::int64_t h = r.hidden.value();
  const std::int64_t depth = h + (multiplies_in_step(r) ? r.inputs.value() : 0);
  if (r.steps.is(1) || n.has_input(4) || r.gates * h * depth * 4 < kLeastBytes) return -1;
  const BufferId turns = n.scratch(ElemType::int32, turns_scratch(), "turns");
  const BufferId zero = n.constant(Tensor::zeros(ElemType::int32, {1}), "zero");
  n.call("fill", CountShape<Dim>{turns_scratch()}).read(zero).write(turns);
  return turns;
}

void add_turns(Call& call, BufferId turns) {
  if (turns < 0)
    call.null(ElemType::int32, true);
  else
    call.write(turns).divisible().one_chunk_a_thread();
}

void lower_directions(Lower& n, const CellKind& kind,
                      Call (*lower)(Lower& n, const Recurrent& r, int direction)) {
  Recurrent r = read_recurrent(n, kind);
  if (is_one_sequence(n, r)) r.lanes = n.target().vector_floats;
  const Dim columns = r.steps * r.batch * Dim(r.gates) * r.hidden;
  const bool with_input = r.lanes > 0 ? multiplies_in_step(r) : goes_by_steps(n, r);
  const Dim depth = with_input ? r.hidden + r.inputs : r.hidden;
  for (int d = 0; d < r.directions; ++d) lower(n, r, d).macs(columns * depth);
}

Tile recurrent_tile(const Lower& n, const Recurrent& r, int gates) {
  const Dim columns = Dim(gates) * r.block;
  // With one row, reading the weights is the bottleneck: four vectors read them fastest.
  constexpr int kWide = 64;
  if (n.target().vector_floats == 16 && r.batch.is(1) && columns.is(kWide)) return {6, kWide};
  return choose_tile(n.target(), columns);
}

BufferId lower_input(Lower& n, const Recurrent& r, const Dim& recurrent_bias, int direction) {
  const Dim rows = r.steps * r.batch, columns = Dim(r.gates) * r.hidden;
  if (has_packed_weights(n))
    return lower_packed_input(n, r, rows, columns, recurrent_bias, direction);
  if (multiplies_packed(n, r))
    return lower_input_in_run(n, r, rows, columns, recurrent_bias, direction);
  const BufferId out = n.scratch(compute_elem(n.elem(0)), rows * columns, "input");
  Call call = n.call("recurrent_input",
                     RecurrentInputShape<Dim>{rows, r.inputs, columns, recurrent_bias, direction});
  call.in({0, 1}).in(3, n.elem(0)).write(out).macs(rows * r.inputs * columns);
  return out;
}

// Its sums are in another order than those of a batch.
bool is_one_sequence(const Lower& n, const Recurrent& r) {
  return !n.options().strict_fp && has_packed_weights(n) && r.batch.is(1) &&
         n.target().vector_floats > 1 && !n.target().small_memory;
}

bool goes_by_steps(const Lower& n, const Recurrent& r) {
  constexpr std::int64_t kLittle = 1024;  // floats
  if (!n.target().small_memory || !has_packed_weights(n) || n.has_input(4)) return false;
  const Dim products = r.steps * r.batch * Dim(r.gates) * r.hidden;
  return products.is_const() && products.value() > kLittle && !r.steps.is(1);
}

Dim steps_together(const Lower& n, const Recurrent& r) {
  constexpr std::int64_t kMax = 4;
  const bool follow = !r.batch_first || r.batch.is(1);
  const std::int64_t batch = r.batch.constant().value_or(kMax), steps = r.steps.value();
  const Tile tile = choose_tile(n.target(), Dim(r.gates) * r.hidden);
  std::int64_t together = follow ? std::min((tile.rows + batch - 1) / batch, kMax) : 1;
  while (together > 1 && steps % together != 0) --together;
  return std::max<std::int64_t>(together, 1);
}

void add_step_input(Lower& n, Call& call, const Recurrent& r, const Dim& recurrent_bias,
                    int direction) {
  const Dim columns = Dim(r.gates) * r.hidden;
  const Tile tile = choose_tile(n.target(), columns);
  const PackedInput packed = pack_input(n, r, columns, recurrent_bias, direction, tile);
  add_tile(call, tile);
  call.begin_struct("StepInput").in(0).read(packed.w);
  packed.bias < 0 ? call.null(ElemType::float32) : call.read(packed.bias);
  const Dim rows = r.batch * steps_together(n, r);
  call.write(n.scratch(ElemType::float32, rows * columns, "input")).end_struct();
}

BufferId pack_recurrent(Lower& n, const Recurrent& r, int first, int count, int direction,
                        Tile tile, const std::string& role) {
  const std::int64_t h = r.hidden.value();
  if (!has_packed_weights(n))
    return pack_in_run(n, 2, {h, count * h, (direction * r.gates + first) * h}, tile);
  const Tensor part = matrix_of(*n.constant(2), (direction * r.gates + first) * h, count * h, h);
  const Tensor ordered = by_blocks(r, part, count, h);
  return n.constant(pack_gemm(ordered, h, count * h, true, 1.0f, tile.panel), role);
}

RecurrentSizes<Dim> recurrent_sizes(const Lower& n, const Recurrent& r, int direction) {
  const Dim d(r.directions), h = r.hidden;
  const bool first = r.batch_first;
  return {.steps = r.steps,
          .batch = r.batch,
          .hidden = h,
          .block = r.block,
          .direction = direction,
          .reverse = direction == 1 || r.reversed,
          .x_step = first ? Dim(1) : r.batch,
          .x_batch = first ? r.steps : Dim(1),
          .y_step = d * h * (first ? Dim(1) : r.batch),
          .y_batch = first ? r.steps * d * h : h,
          .y_direction = first ? h : r.batch * h,
          .h_batch = first ? d * h : h,
          .h_direction = first ? h : r.batch * h,
          .clip = n.has_attr("clip") ? n.attr_float("clip") : 0.0f};
}

}  // namespace onnxc::ops

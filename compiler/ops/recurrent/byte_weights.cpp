// onnxc::LstmByteWeights and onnxc::GruByteWeights: LSTM and GRU with weights of 8-bit integers.
// The data, and where there is one step the first state, may be dequantised bytes, which are
// multiplied as such.
#include "compiler/ops/macs.hpp"
#include "compiler/ops/recurrent/recurrent.hpp"

namespace onnxc::ops::byte_weights {
namespace {

const CellKind kLstm{4, {"Sigmoid", "Tanh", "Tanh"}}, kGru{3, {"Sigmoid", "Tanh"}};

// The inputs that the units of float32 do not have: the scales of W and R.
enum : std::size_t { kWScale = 8, kRScale = 9 };

void infer_lstm(Infer& n) { infer_recurrent(n, kLstm, ElemType::float32); }
void infer_gru(Infer& n) { infer_recurrent(n, kGru, ElemType::float32); }

// `count` numbers from `first` on.
Tensor part_of(const Tensor& t, std::int64_t first, std::int64_t count) {
  const auto all =
      t.as<float>().subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
  return Tensor::of<float>(ElemType::float32, {count}, all);
}

class Direction {
 public:
  Direction(Lower& n, const Recurrent& r, int direction) : n_(n), r_(r), direction_(direction) {}

  std::int64_t columns() const { return r_.gates * r_.hidden.value(); }

  ByteOperands<Dim> operands() const {
    const auto step = [&](std::size_t i) { return n_.constant(i)->size() > 1 ? 1 : 0; };
    return {r_.inputs,     n_.attr_int("x_zero"),    n_.attr_int("h_zero"),   step(kWScale),
            step(kRScale), n_.attr_float("x_scale"), n_.attr_float("h_scale")};
  }

  // The rows of this direction; whole words are read, also at their end.
  void add_weights(Call& call, std::size_t input, std::size_t scale, const char* name) const {
    constexpr std::size_t kSlack = 4;
    const Tensor& all = *n_.constant(input);
    const std::int64_t size = all.size() / r_.directions;
    const auto own = all.as<std::int8_t>().subspan(static_cast<std::size_t>(direction_ * size),
                                                   static_cast<std::size_t>(size));
    std::vector<std::int8_t> rows(own.begin(), own.end());
    rows.resize(rows.size() + kSlack);
    const Tensor& scales = *n_.constant(scale);
    const bool one = scales.size() == 1;
    call.begin_struct("ByteWeights")
        .read(n_.constant(
            Tensor::of<std::int8_t>(ElemType::int8, {static_cast<std::int64_t>(rows.size())}, rows),
            name))
        .read(n_.constant(part_of(scales, one ? 0 : direction_ * columns(), one ? 1 : columns()),
                          std::string(name) + "_scale"))
        .end_struct();
  }

  // The sums of both biases; those of R count in the first `recurrent` columns.
  void add_bias(Call& call, std::int64_t recurrent) const {
    const Tensor* b = n_.constant(3);
    if (b == nullptr) {
      call.null(ElemType::float32);
      return;
    }
    const float* from = b->as<float>().data() + direction_ * 2 * columns();
    std::vector<float> sums(from, from + columns());
    for (std::int64_t j = 0; j < recurrent; ++j)
      sums[static_cast<std::size_t>(j)] += from[columns() + j];
    call.read(n_.constant(Tensor::of<float>(ElemType::float32, {columns()}, sums), "bias"));
  }

  // The bias of R in the last gate.
  void add_late_bias(Call& call) const {
    const Tensor* b = n_.constant(3);
    const std::int64_t h = r_.hidden.value();
    if (b == nullptr)
      call.null(ElemType::float32);
    else
      call.read(n_.constant(part_of(*b, (direction_ * 2 + 2) * columns() - h, h), "late_bias"));
  }

  void add_scratch(Call& call) const {
    const auto halves = [&](const Dim& count, int parts, const char* name) {
      const Dim row = Dim(4) * Dim::ceil_div(count, 4);
      call.write(n_.scratch(ElemType::int16, Dim(parts) * row, name));
    };
    call.begin_struct("ByteUnitScratch");
    halves(r_.inputs, 2, "x");
    halves(r_.hidden, 2, "halves");
    if (n_.has_input(5) && n_.elem(5) != ElemType::float32)
      call.write(n_.scratch(ElemType::float32, r_.batch * r_.hidden, "first"));
    else
      call.null(ElemType::float32, true);
    call.end_struct();
  }

 private:
  Lower& n_;
  const Recurrent& r_;
  int direction_;
};

Dim macs_of(const Recurrent& r) {
  return r.steps * r.batch * Dim(r.gates) * r.hidden * (r.hidden + r.inputs);
}

void lower_lstm(Lower& n) {
  constexpr ElemType elem = ElemType::float32;
  const Recurrent r = read_recurrent(n, kLstm);
  for (int d = 0; d < r.directions; ++d) {
    const Direction own(n, r, d);
    const LstmShape<Dim> unit = {recurrent_sizes(n, r, d), activation<ActivationF<Dim>>(r, d, 0),
                                 activation<ActivationG<Dim>>(r, d, 1),
                                 activation<ActivationH<Dim>>(r, d, 2),
                                 n.attr_int("input_forget") != 0};
    Call call = n.call(kLstmByteWeights, LstmByteWeightsShape<Dim>{unit, own.operands()});
    call.in(0).in(5, elem);
    own.add_weights(call, 1, kWScale, "w");
    own.add_weights(call, 2, kRScale, "r");
    own.add_bias(call, own.columns());
    call.in(7, elem).begin_struct("LstmStates").in(4).null(elem).in(6, elem);
    call.out(0, elem).out(1, elem).out(2, elem).end_struct().begin_struct("LstmScratch");
    call.write(n.scratch(elem, Dim(2) * r.batch * r.hidden, "h"));
    call.write(n.scratch(elem, r.batch * r.hidden, "c")).null(elem, true).end_struct();
    own.add_scratch(call);
    call.macs(macs_of(r));
  }
}

void lower_gru(Lower& n) {
  constexpr ElemType elem = ElemType::float32;
  const Recurrent r = read_recurrent(n, kGru);
  const bool after = n.attr_int("linear_before_reset") != 0;
  for (int d = 0; d < r.directions; ++d) {
    const Direction own(n, r, d);
    const GruShape<Dim> unit = {recurrent_sizes(n, r, d), activation<ActivationF<Dim>>(r, d, 0),
                                activation<ActivationG<Dim>>(r, d, 1), after};
    Call call = n.call(kGruByteWeights, GruByteWeightsShape<Dim>{unit, own.operands()});
    call.in(0).in(5, elem);
    own.add_weights(call, 1, kWScale, "w");
    own.add_weights(call, 2, kRScale, "r");
    own.add_bias(call, after ? own.columns() / 3 * 2 : own.columns());
    if (after)
      own.add_late_bias(call);
    else
      call.null(elem);
    call.begin_struct("GruStates").in(4).null(elem).out(0, elem).out(1, elem).end_struct();
    call.begin_struct("GruScratch").write(n.scratch(elem, Dim(2) * r.batch * r.hidden, "h"));
    for (const char* name : {"update", "reset"})
      after ? call.null(elem, true) : call.write(n.scratch(elem, r.hidden, name));
    call.null(elem, true).end_struct();
    own.add_scratch(call);
    call.macs(macs_of(r));
  }
}

constexpr Op row(std::string_view name, std::string_view attributes, void (*infer)(Infer&),
                 void (*lower)(Lower&)) {
  return internal({
      .name = name,
      .inputs = "X:T1 W:int8 R:int8 B:float? sequence_lens:int32? initial_h:T2? "
                "initial_c:float? P:float? W_scale:float R_scale:float",
      .outputs = "Y:float? Y_h:float? Y_c:float?",
      .types = "T1: float int8 uint8; T2: float int8 uint8",
      .attributes = attributes,
      .infer = infer,
      .lower = lower,
      .macs = recurrent_macs,
  });
}

constexpr Op rows[] = {
    row("LstmByteWeights",
        "activation_alpha:floats activation_beta:floats activations:strings clip:float "
        "direction:string=forward hidden_size:int input_forget:int=0 layout:int=0 x_zero:int=0 "
        "x_scale:float=1 h_zero:int=0 h_scale:float=1",
        infer_lstm, lower_lstm),
    row("GruByteWeights",
        "activation_alpha:floats activation_beta:floats activations:strings clip:float "
        "direction:string=forward hidden_size:int layout:int=0 linear_before_reset:int=0 "
        "x_zero:int=0 x_scale:float=1 h_zero:int=0 h_scale:float=1",
        infer_gru, lower_gru)};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::byte_weights

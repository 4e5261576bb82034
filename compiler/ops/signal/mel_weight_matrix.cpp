// MelWeightMatrix: filters that gather the bins of a spectrum into bands of the mel scale.
#include "compiler/kernels/signal_calls.hpp"
#include "compiler/ops/elementwise/elementwise.hpp"
#include "templates/signal/mel_weights.hpp"

namespace onnxc::ops::mel_weight_matrix {
namespace {

Dim size_or_unknown(Infer& n, std::size_t i, const char* name) {
  const auto size = n.extents(i);
  if (!size || size->size() != 1) return n.unknown_extent();
  n.at_least((*size)[0], 0, fmt::format("input {} \"{}\"", i, name));
  return (*size)[0];
}

void infer(Infer& n) {
  const ElemType elem = n.attr_elem_type("output_datatype");
  n.require(with_number(elem, [](auto) {}), "attribute \"output_datatype\"", "is no number type");
  for (std::size_t i = 0; i < 5; ++i) n.one_value(i, fmt::format("input {}", i));
  const Dim bands = size_or_unknown(n, 0, "num_mel_bins");
  const bool known = n.extents(1).has_value();
  const Dim length = size_or_unknown(n, 1, "dft_length");
  n.output(0, elem, Shape{known ? Dim::floor_div(length, 2) + 1 : length, bands});
}

struct MelShape {
  Index bins, bands;
};

void fold(Fold& n) {
  if (!worth_folding(n) || n.in(3).elem() != ElemType::float32) return;
  std::int64_t sizes[3];
  for (std::size_t i = 0; i < 3; ++i) sizes[i] = n.in(i).to_int64s()[0];
  const float *low = n.in(3).as<float>().data(), *high = n.in(4).as<float>().data();
  with_number(n.out_elem(0), [&](auto tag) {
    TensorBuilder y(n.out_elem(0), n.out_dims(0));
    const MelShape s{n.out_dims(0)[0], n.out_dims(0)[1]};
    n.require(onnxc::mel_weights(s, &sizes[0], &sizes[1], &sizes[2], low, high,
                                 y.data<decltype(tag)>()) == Status::ok,
              "inputs", "the bands lie outside the spectrum");
    n.out(0, y.take());
  });
}

void lower(Lower& n) {
  if (!n.extents(0) || !n.extents(1)) n.call("mel_extents").in({0, 1}).extents(n.out_shape(0));
  n.call("mel_weights", MelWeightsShape<Dim>{n.out_shape(0)[0], n.out_shape(0)[1]})
      .in({0, 1, 2, 3, 4})
      .out(0);
}

constexpr Op rows[] = {{
    .name = "MelWeightMatrix",
    .versions = "17",
    .inputs = "num_mel_bins:T1 dft_length:T1 sample_rate:T1 lower_edge_hertz:T2 "
              "upper_edge_hertz:T2",
    .outputs = "output:any",
    .types = "T1: int32 int64; T2: floats",
    .attributes = "output_datatype:int=1",
    .infer = infer,
    .fold = fold,
    .lower = lower,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::mel_weight_matrix

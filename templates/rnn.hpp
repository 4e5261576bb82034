// rnn.hpp - one direction of a simple recurrent network over a sequence.
#pragma once

#include "templates/recurrent.hpp"

namespace onnxc {

// input: products of all steps with the input weights; r: packed for NR columns, or with NR = 0
// plain [directions, hidden, hidden]; scratch h, products: [batch, hidden]. lengths, h0, y, y_h may
// be null. s: as for run_steps, clip, f_kind, f_alpha, f_beta.
template <int MR, int NR, class S, class T>
Status rnn(S s, const compute_t<T>* input, const T* r, const std::int32_t* lengths, const T* h0,
           T* y, T* y_h, compute_t<T>* h, compute_t<T>* products) {
  using A = compute_t<T>;
  const Index n = s.hidden;
  const Activation f{s.f_kind, s.f_alpha, s.f_beta};
  const T* rd = NR > 0 ? r : r + s.direction * n * n;
  load_state(s, h0, h);
  const auto product = [&] { recurrent_product<MR, NR>(s.batch, n, n, h, rd, products); };
  const auto cell = [&](Index b, Index row) {
    const A* x = input + row * n;
    for_state_lanes<A>(n, [&](auto tag, Index j) {
      using V = decltype(tag);
      put(h + b * n + j, f(clip_to(get<V>(x + j) + get<V>(products + b * n + j), s.clip)));
    });
  };
  const Status status = run_steps(s, lengths, h, y, product, cell);
  save_state(s, h, y_h);
  return status;
}

}  // namespace onnxc

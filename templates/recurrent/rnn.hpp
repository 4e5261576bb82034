// rnn.hpp - one direction of a simple recurrent network over a sequence.
#pragma once

#include "templates/recurrent/recurrent.hpp"

namespace onnxc {

// input: products of all steps with the input weights; r: packed for NR columns, or with NR = 0
// plain [directions, hidden, hidden] and one block; scratch h: [2, batch, hidden], products:
// [batch, block]. lengths, h0, y, y_h may be null. s: as for run_steps, clip, f_kind, f_alpha,
// f_beta.
template <int MR, int NR, class S, class T>
Status rnn(S s, const compute_t<T>* input, const T* r, const std::int32_t* lengths, const T* h0,
           T* y, T* y_h, compute_t<T>* h, compute_t<T>* products) {
  using A = compute_t<T>;
  const Index n = s.hidden, block = s.block;
  const Activation f{s.f_kind, s.f_alpha, s.f_beta};
  const T* rd = NR > 0 ? r : r + s.direction * n * n;
  const auto step = [&](Index i, const A* old_h, A* now_h) {
    const auto product = [&](Index p) {
      recurrent_product<MR, NR>(s, block, old_h, rd + p * block * n, products);
    };
    const auto cell = [&](Index b, Index p, Index row) {
      const A* x = input + row * n + p * block;
      const A* q = products + b * block;
      A* hb = now_h + b * n + p * block;
      for_state_lanes<A>(block, [&](auto tag, Index j) {
        using V = decltype(tag);
        put(hb + j, f(clip_to(get<V>(x + j) + get<V>(q + j), s.clip)));
      });
    };
    for_blocks(s, lengths, i, product, cell);
  };
  return run_steps(s, lengths, h0, h, y, y_h, step);
}

}  // namespace onnxc

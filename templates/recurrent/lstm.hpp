// lstm.hpp - one direction of a long short-term memory over a sequence.
#pragma once

#include "templates/recurrent/recurrent.hpp"

namespace onnxc {

// What a run reads and leaves: the lengths of the sequences and the first states of both kinds; all
// states and the last ones. Each may be null.
template <class T>
struct LstmStates {
  const std::int32_t* lengths;
  const T *h0, *c0;
  T *y, *y_h, *y_c;
};
template <class T>
LstmStates(const std::int32_t*, const T*, const T*, T*, T*, T*) -> LstmStates<T>;

// Scratch: h: [2, batch, hidden], c: [batch, hidden], products: [batch, 4 * block].
template <class A>
struct LstmScratch {
  A *h, *c, *products;
};
template <class A>
LstmScratch(A*, A*, A*) -> LstmScratch<A>;

// input: products of all steps with the input weights, gates i, o, f, c by blocks of units; r:
// packed by blocks for NR columns, or with NR = 0 plain [directions, 4 * hidden, hidden] and one
// block; peephole: [directions, 3 * hidden] of i, o, f, or null. s: as for
// run_steps, clip, input_forget, f_kind, f_alpha, f_beta, the same of g and h.
template <int MR, int NR, class S, class T>
Status lstm(S s, const compute_t<T>* input, const T* r, const T* peephole, LstmStates<T> states,
            LstmScratch<compute_t<T>> scratch) {
  using A = compute_t<T>;
  const Index n = s.hidden, block = s.block;
  const Activation f{s.f_kind, s.f_alpha, s.f_beta}, g{s.g_kind, s.g_alpha, s.g_beta};
  const Activation last{s.h_kind, s.h_alpha, s.h_beta};
  const T* rd = NR > 0 ? r : r + s.direction * 4 * n * n;
  const T* peephole_d = peephole != nullptr ? peephole + s.direction * 3 * n : nullptr;
  A* const c = scratch.c;
  load_state(s, states.c0, c);
  const auto step = [&](Index i, const A* old_h, A* now_h) {
    A* const products = scratch.products;
    const auto product = [&](Index p) {
      recurrent_product<MR, NR>(s, 4 * block, old_h, rd + p * 4 * block * n, products);
    };
    const auto cell = [&](Index b, Index p, Index row) {
      const A* x = input + (row * n + p * block) * 4;
      const A* q = products + b * 4 * block;
      const T* peepholes = peephole != nullptr ? peephole_d + p * block : nullptr;
      A* cb = c + b * n + p * block;
      A* hb = now_h + b * n + p * block;
      for_state_lanes<A>(block, [&](auto tag, Index j) {
        using V = decltype(tag);
        const auto sum = [&](Index gate) {
          return get<V>(x + gate * block + j) + get<V>(q + gate * block + j);
        };
        const auto peep = [&](Index gate, V state) {
          return peepholes != nullptr ? get<V>(peepholes + gate * n + j) * state : V{};
        };
        const V old = get<V>(cb + j);
        const V in = f(clip_to(sum(0) + peep(0, old), s.clip));
        const V forget =
            s.input_forget ? constant<V>(1.0f) - in : f(clip_to(sum(2) + peep(2, old), s.clip));
        const V now = forget * old + in * g(clip_to(sum(3), s.clip));
        const V out = f(clip_to(sum(1) + peep(1, now), s.clip));
        put(cb + j, now);
        put(hb + j, out * last(now));
      });
    };
    for_blocks(s, states.lengths, i, product, cell);
  };
  const Status status =
      run_steps(s, states.lengths, states.h0, scratch.h, states.y, states.y_h, step);
  save_state(s, c, states.y_c);
  return status;
}

}  // namespace onnxc

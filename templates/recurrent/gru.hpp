// gru.hpp - one direction of a gated recurrent unit over a sequence.
#pragma once

#include "templates/recurrent/recurrent.hpp"

namespace onnxc {

// input: products of all steps with the input weights, gates z, r, h by blocks of units; recurrent
// weights packed by blocks for NR columns: with reset_after r_gates of all gates, otherwise r_gates
// of z, r and r_hidden of h. With NR = 0 r_gates and r_hidden are the whole plain [directions, 3 *
// hidden, hidden] and there is one block. bias: [directions, 6 * hidden]; scratch h: [2, batch,
// hidden], update, reset: [batch, hidden], products: [batch, 3 * block], or without reset_after
// [batch, 2 * block] or [batch, hidden], whichever is more. bias, lengths, h0, y, y_h may be null.
// s: as for run_steps, clip, reset_after (linear_before_reset), f_kind, f_alpha, f_beta, the same
// of g.
template <int MR, int NR, class S, class T>
Status gru(S s, const compute_t<T>* input, const T* r_gates, const T* r_hidden, const T* bias,
           const std::int32_t* lengths, const T* h0, T* y, T* y_h, compute_t<T>* h,
           compute_t<T>* update, compute_t<T>* reset, compute_t<T>* products) {
  using A = compute_t<T>;
  const Index n = s.hidden, block = s.block;
  const Activation f{s.f_kind, s.f_alpha, s.f_beta}, g{s.g_kind, s.g_alpha, s.g_beta};
  const T* rg = NR > 0 ? r_gates : r_gates + s.direction * 3 * n * n;
  const T* rh = NR > 0 ? r_hidden : r_hidden + s.direction * 3 * n * n + 2 * n * n;
  const T* late = s.reset_after && bias != nullptr ? bias + s.direction * 6 * n + 5 * n : nullptr;
  const Index gates = s.reset_after ? 3 : 2;
  // Products with the state of a sequence that has ended are never used, but must not meet what was
  // in the scratch.
  for (Index j = 0; !s.reset_after && j < s.batch * n; ++j) reset[j] = A{};
  const auto gate_product = [&](const A* old_h) {
    return [=](Index p) {
      recurrent_product<MR, NR>(s, gates * block, old_h, rg + p * gates * block * n, products);
    };
  };
  // Gate k of unit j from its input and recurrent products.
  const auto gate = [=](auto tag, const A* x, const A* q, Index k, Index j) {
    using V = decltype(tag);
    return f(clip_to(get<V>(x + k * block + j) + get<V>(q + k * block + j), s.clip));
  };
  // The new state from the old one, the gate z and the product of the candidate with the state.
  const auto renew = [=](auto tag, const A* x, Index j, auto recurrent, auto z, auto old) {
    using V = decltype(tag);
    const V candidate = g(clip_to(get<V>(x + 2 * block + j) + recurrent, s.clip));
    return (constant<V>(1.0f) - z) * candidate + z * old;
  };
  const auto step_reset_after = [&](Index i, const A* old_h, A* now_h) {
    for_blocks(s, lengths, i, gate_product(old_h), [&](Index b, Index p, Index row) {
      const A* x = input + (row * n + p * block) * 3;
      const A* q = products + b * 3 * block;
      const Index unit = b * n + p * block;
      for_state_lanes<A>(block, [&](auto tag, Index j) {
        using V = decltype(tag);
        V recurrent = get<V>(q + 2 * block + j);
        if (late != nullptr) recurrent += get<V>(late + p * block + j);
        recurrent *= gate(tag, x, q, 1, j);
        const V z = gate(tag, x, q, 0, j);
        put(now_h + unit + j, renew(tag, x, j, recurrent, z, get<V>(old_h + unit + j)));
      });
    });
  };
  const auto step_reset_before = [&](Index i, const A* old_h, A* now_h) {
    for_blocks(s, lengths, i, gate_product(old_h), [&](Index b, Index p, Index row) {
      const A* x = input + (row * n + p * block) * 3;
      const A* q = products + b * 2 * block;
      const Index unit = b * n + p * block;
      for_state_lanes<A>(block, [&](auto tag, Index j) {
        put(update + unit + j, gate(tag, x, q, 0, j));
        put(reset + unit + j, gate(tag, x, q, 1, j) * get<decltype(tag)>(old_h + unit + j));
      });
    });
    recurrent_product<MR, NR>(s, n, reset, rh, products);
    for_blocks(
        s, lengths, i, [](Index) {},
        [&](Index b, Index p, Index row) {
          const A* x = input + (row * n + p * block) * 3;
          const Index unit = b * n + p * block;
          for_state_lanes<A>(block, [&](auto tag, Index j) {
            using V = decltype(tag);
            const V recurrent = get<V>(products + unit + j), z = get<V>(update + unit + j);
            put(now_h + unit + j, renew(tag, x, j, recurrent, z, get<V>(old_h + unit + j)));
          });
        });
  };
  return run_steps(s, lengths, h0, h, y, y_h, [&](Index i, const A* old_h, A* now_h) {
    s.reset_after ? step_reset_after(i, old_h, now_h) : step_reset_before(i, old_h, now_h);
  });
}

}  // namespace onnxc

// gru.hpp - one direction of a gated recurrent unit over a sequence.
#pragma once

#include "templates/recurrent.hpp"

namespace onnxc {

// input: products of all steps with the input weights, gates z, r, h; r_gates and r_hidden:
// recurrent weights of the gates and of the hidden part, packed for NR columns, or with NR = 0 both
// the whole plain [directions, 3 * hidden, hidden]; bias: [directions, 6 * hidden]; scratch h,
// reset: [batch, hidden], products: [batch, 3 * hidden]. bias, lengths, h0, y, y_h may be null. s:
// as for run_steps, clip, reset_after (linear_before_reset), f_kind, f_alpha, f_beta, the same of
// g.
template <int MR, int NR, class S, class T>
Status gru(S s, const compute_t<T>* input, const T* r_gates, const T* r_hidden, const T* bias,
           const std::int32_t* lengths, const T* h0, T* y, T* y_h, compute_t<T>* h,
           compute_t<T>* reset, compute_t<T>* products) {
  using A = compute_t<T>;
  const Index n = s.hidden;
  const Activation f{s.f_kind, s.f_alpha, s.f_beta}, g{s.g_kind, s.g_alpha, s.g_beta};
  const T* rg = NR > 0 ? r_gates : r_gates + s.direction * 3 * n * n;
  const T* rh = NR > 0 ? r_hidden : r_hidden + s.direction * 3 * n * n + 2 * n * n;
  const T* late = s.reset_after && bias != nullptr ? bias + s.direction * 6 * n + 5 * n : nullptr;
  A* hidden_products = products + s.batch * 2 * n;
  load_state(s, h0, h);
  const auto product = [&] {
    recurrent_product<MR, NR>(s.batch, n, 2 * n, h, rg, products);
    if (s.reset_after) recurrent_product<MR, NR>(s.batch, n, n, h, rh, hidden_products);
  };
  const auto cell = [&](Index b, Index row) {
    const A* x = input + row * 3 * n;
    const A* q = products + b * 2 * n;
    const A* qh = hidden_products + b * n;
    A* hb = h + b * n;
    A* rb = reset + b * n;
    const auto gate = [&](auto tag, Index k, Index j) {
      using V = decltype(tag);
      return f(clip_to(get<V>(x + k * n + j) + get<V>(q + k * n + j), s.clip));
    };
    if (!s.reset_after) {
      for_state_lanes<A>(
          n, [&](auto tag, Index j) { put(rb + j, gate(tag, 1, j) * get<decltype(tag)>(hb + j)); });
      recurrent_product<MR, NR>(1, n, n, rb, rh, hidden_products + b * n);
    }
    for_state_lanes<A>(n, [&](auto tag, Index j) {
      using V = decltype(tag);
      V recurrent = get<V>(qh + j);
      if (late != nullptr) recurrent += get<V>(late + j);
      if (s.reset_after) recurrent *= gate(tag, 1, j);
      const V candidate = g(clip_to(get<V>(x + 2 * n + j) + recurrent, s.clip));
      const V z = gate(tag, 0, j);
      put(hb + j, (constant<V>(1.0f) - z) * candidate + z * get<V>(hb + j));
    });
  };
  const Status status = run_steps(s, lengths, h, y, product, cell);
  save_state(s, h, y_h);
  return status;
}

}  // namespace onnxc

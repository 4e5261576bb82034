// matmul_nd.hpp - batched, strided matrix product of any element type: y = alpha * a * b + beta *
// c.
#pragma once

#include <type_traits>

#include "runtime_min/types.hpp"
#include "templates/window.hpp"

namespace onnxc {

// Sums of integers wrap.
template <class T>
struct product_sum {
  using type = compute_t<T>;
};
template <>
struct product_sum<std::int32_t> {
  using type = std::uint32_t;
};
template <>
struct product_sum<std::int64_t> {
  using type = std::uint64_t;
};

// a: [batch, m, k], b: [batch, k, n], c: [m, n] or null, with any steps; y: [batch, m, n], dense.
// s: batch[R], a_batch[R], b_batch[R], m, k, n, a_row, a_column, b_row, b_column, c_row, c_column,
// alpha, beta.
template <std::size_t R, class S, class T, class Epilogue>
void matmul_nd(S s, const T* a, const T* b, const T* c, T* y, Epilogue epilogue) {
  using A = compute_t<T>;
  using Sum = typename product_sum<A>::type;
  const Sum alpha = static_cast<Sum>(static_cast<A>(s.alpha));
  const Sum beta = static_cast<Sum>(static_cast<A>(s.beta));
  Index batches = box_size<R>(s.batch);
  Index at = 0;
  Position<R> p;
  for (; batches > 0; --batches, p.next(s.batch)) {
    const T* ab = a;
    const T* bb = b;
    for (std::size_t i = 0; i < R; ++i) {
      ab += p.at[i] * s.a_batch[i];
      bb += p.at[i] * s.b_batch[i];
    }
    for (Index i = 0; i < s.m; ++i) {
      for (Index j = 0; j < s.n; ++j, ++at) {
        Sum sum{};
        for (Index k = 0; k < s.k; ++k)
          sum += static_cast<Sum>(static_cast<A>(ab[i * s.a_row + k * s.a_column])) *
                 static_cast<Sum>(static_cast<A>(bb[k * s.b_row + j * s.b_column]));
        sum *= alpha;
        if (c != nullptr)
          sum += beta * static_cast<Sum>(static_cast<A>(c[i * s.c_row + j * s.c_column]));
        y[at] = static_cast<T>(epilogue(static_cast<A>(sum), at, j));
      }
    }
  }
}

}  // namespace onnxc

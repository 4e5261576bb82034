// gemm_scaled.hpp - product of integer matrices times fractions: y = alpha * a * b + beta * c.
#pragma once

#include "runtime_min/types.hpp"
#include "templates/fn/integer.hpp"
#include "templates/matmul/matmul_nd.hpp"

namespace onnxc {

// a: [m, k], b: [k, n], c: [m, n] or null, with any strides; y: [m, n], dense. The sum of products
// wraps; a float could not hold it, so that double scales it. The result is cut to its whole part.
// s: m, k, n, a_row, a_column, b_row, b_column, c_row, c_column, alpha, beta.
template <class S, class T>
void gemm_scaled(S s, const T* a, const T* b, const T* c, T* y) {
  using Sum = typename product_sum<T>::type;
  const double alpha = static_cast<double>(s.alpha), beta = static_cast<double>(s.beta);
  for (Index i = 0; i < s.m; ++i) {
    for (Index j = 0; j < s.n; ++j) {
      Sum sum{};
      for (Index k = 0; k < s.k; ++k)
        sum += static_cast<Sum>(a[i * s.a_row + k * s.a_column]) *
               static_cast<Sum>(b[k * s.b_row + j * s.b_column]);
      double v = alpha * static_cast<double>(static_cast<T>(sum));
      if (c != nullptr) v += beta * static_cast<double>(c[i * s.c_row + j * s.c_column]);
      *y++ = fn::to_integer<T>(v);
    }
  }
}

}  // namespace onnxc

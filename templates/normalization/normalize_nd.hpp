// normalize_nd.hpp - subtracts the mean and divides by the deviation over any axes, then scales and
// shifts.
#pragma once

#include <cmath>

#include "runtime_min/types.hpp"
#include "templates/convolution/window.hpp"

namespace onnxc {

template <std::size_t R, class D>
Index dot(const Position<R>& p, const D& steps) {
  Index offset = 0;
  for (std::size_t i = 0; i < R; ++i) offset += p.at[i] * steps[i];
  return offset;
}

// A running sum that keeps what each addition rounds off (Kahan), so that the mean of a large image
// is as good as that of a small one.
template <class A>
struct CompensatedSum {
  A total{}, lost{};
  void add(A v) {
    const A term = v - lost;
    const A next = total + term;
    lost = (next - total) - term;
    total = next;
  }
};

// Every position of the box `outer` is normalised over the box `inner`. x and y are walked with the
// same steps; scale, bias may be null; mean and inverse_deviation, one value per outer position in
// order, too. The variance counts from zero instead of the mean when not centred; epsilon joins the
// deviation, not the variance, when outside_root. s: outer[RO], inner[RI], x_outer, x_inner,
// scale_outer, scale_inner, bias_outer, bias_inner (as long),
//    epsilon, centred, outside_root.
template <std::size_t RO, std::size_t RI, class S, class T, class P, class Y, class U>
void normalize_nd(S s, const T* x, const P* scale, const P* bias, Y* y, U* mean,
                  U* inverse_deviation) {
  using A = compute_t<T>;
  const Index count = box_size<RI>(s.inner);
  if (box_size<RO>(s.outer) == 0 || count == 0) return;
  const A epsilon = static_cast<A>(s.epsilon);
  Position<RO> o;
  Index at = 0;
  do {
    const T* xo = x + dot(o, s.x_outer);
    const auto each = [&](auto f) {
      Position<RI> p;
      do f(p, dot(p, s.x_inner));
      while (p.next(s.inner));
    };
    CompensatedSum<A> sum, squares;
    if (s.centred) each([&](const Position<RI>&, Index i) { sum.add(static_cast<A>(xo[i])); });
    const A centre = sum.total / static_cast<A>(count);
    each([&](const Position<RI>&, Index i) {
      const A d = static_cast<A>(xo[i]) - centre;
      squares.add(d * d);
    });
    const A variance = squares.total / static_cast<A>(count);
    const A deviation =
        s.outside_root ? std::sqrt(variance) + epsilon : std::sqrt(variance + epsilon);
    const A factor = A{1} / deviation;
    const P* so = scale != nullptr ? scale + dot(o, s.scale_outer) : nullptr;
    const P* bo = bias != nullptr ? bias + dot(o, s.bias_outer) : nullptr;
    Y* yo = y + dot(o, s.x_outer);
    each([&](const Position<RI>& p, Index i) {
      A v = (static_cast<A>(xo[i]) - centre) * factor;
      if (so != nullptr) v *= static_cast<A>(so[dot(p, s.scale_inner)]);
      if (bo != nullptr) v += static_cast<A>(bo[dot(p, s.bias_inner)]);
      yo[i] = static_cast<Y>(v);
    });
    if (mean != nullptr) mean[at] = static_cast<U>(centre);
    if (inverse_deviation != nullptr) inverse_deviation[at] = static_cast<U>(factor);
    ++at;
  } while (o.next(s.outer));
}

}  // namespace onnxc

// SwiGLU: Swish(a) * b, without broadcasting.
#include "compiler/ops/elementwise/rows.hpp"

namespace onnxc::ops::swi_glu {
namespace {

void infer(Infer& n) {
  if (n.has_rank(0) && n.has_rank(1)) {
    n.require(n.rank(0) == n.rank(1), "input 1 \"B\"", "has rank {}, the gate {}", n.rank(1),
              n.rank(0));
    for (std::size_t i = 0; i < n.rank(0); ++i) {
      const Dim &a = n.shape(0)[i], &b = n.shape(1)[i];
      n.require(!a.is_const() || !b.is_const() || a == b, "input 1 \"B\"",
                "has the shape {}, the gate {}", to_string(n.shape(1)), to_string(n.shape(0)));
      n.same(a, b, "input 1 \"B\"");
    }
  }
  infer_like_first(n);
}

void gradient(Gradient& n) {
  const double alpha = n.attr_float("alpha");
  const Term s = apply("Sigmoid", n.x(0) * alpha);
  if (n.wants(0)) n.dx(0, n.dy() * n.x(1) * (s + n.x(0) * alpha * (s * (1.0 - s))));
  if (n.wants(1)) n.dx(1, n.dy() * (n.x(0) * s));
}

constexpr Op rows[] = {binary({.name = "SwiGLU",
                               .versions = "28",
                               .outputs = "Y:T",
                               .types = "T: floats",
                               .attributes = "alpha:float=1",
                               .infer = infer,
                               .scalar = scalar_fn<"swi_glu", true, "alpha">,
                               .gradient = gradient})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::swi_glu

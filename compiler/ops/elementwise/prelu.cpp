// PRelu: slope * x for negative x, else x.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/prelu.hpp"

namespace onnxc::ops::prelu {
namespace {

// Up to opset 6 a vector of slopes applies to axis 1.
void upgrade(Upgrade& u) {
  u.remove("consumed_inputs");
  if (u.version() >= 7) return;
  Value* moved =
      u.emit("Identity", {u.node().inputs[1], u.node().inputs[0]}, {{"axis", std::int64_t{1}}});
  u.before.back()->op = &get("AlignAxis", "onnxc");
  u.set_input(1, moved);
}

void infer(Infer& n) {
  if (n.has_rank(0) && n.has_rank(1)) {
    n.require(n.rank(1) <= n.rank(0), "input 1 \"slope\"", "has more axes than input 0");
    const Shape out = broadcast(n, n.shape(0), n.shape(1));
    for (std::size_t i = 0; i < out.size(); ++i) n.same(out[i], n.shape(0)[i], "input 1 \"slope\"");
  }
  infer_unary(n);
}

// The slope at 0; its own derivative is 0 there.
void gradient(Gradient& n) {
  n.dx(0, choose_positive(n.x(), n.dy(), n.dy() * n.x(1)));
  if (n.wants(1)) n.dx_summed(1, choose_positive(-n.x(), n.dy() * n.x(), 0.0));
}

constexpr Op rows[] = {binary<"prelu">(kNumeric,
                                       {.name = "PRelu",
                                        .versions = "1 6 7 9 16",
                                        .inputs = "X:T slope:T",
                                        .outputs = "Y:T",
                                        .attributes = "consumed_inputs:ints@1-5",
                                        .upgrade = upgrade,
                                        .infer = infer,
                                        .gradient = gradient},
                                       [](auto x, auto slope) { return fn::prelu(x, slope); })};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::prelu

// GlobalAveragePool, GlobalMaxPool and GlobalLpPool: mean, largest element and p-norm over all
// spatial axes. onnxc::GlobalAveragePoolInt8: the mean of dequantised 8-bit integers, by their sum.
#include "compiler/ops/axes.hpp"
#include "compiler/ops/pooling/pool.hpp"
#include "compiler/ops/upgrade.hpp"

namespace onnxc::ops::global_pool {
namespace {

void lower_global(Lower& n, KernelName kernel) {
  n.call(kernel, global_pool_shape(n)).divisible().in(0).out(0).epilogue();
}
void lower_average(Lower& n) { lower_global(n, "global_average_pool"); }
void infer_average_int8(Infer& n) {
  Type y = n.input(0);
  y.elem = ElemType::float32;
  for (std::size_t i = 2; i < y.shape->size(); ++i) (*y.shape)[i] = 1;
  n.output(0, y);
}

LayoutRule accept_int8(const Node&) { return {.accepts = true}; }

void lower_average_int8(Lower& n) {
  n.call("global_average_pool_int8",
         GlobalInt8PoolShape<Dim>{global_pool_shape(n),
                                  static_cast<std::int64_t>(n.attr_float("zero")),
                                  n.attr_float("step")})
      .divisible()
      .in(0)
      .out(0)
      .epilogue();
}
void lower_max(Lower& n) { lower_global(n, "global_max_pool"); }

void upgrade_lp(Upgrade& n) { whole_norm_order(n); }

void infer_lp(Infer& n) {
  norm_order(n);
  infer_global_pool(n);
}

void lower_lp(Lower& n) {
  n.call("global_lp_pool", GlobalLpPoolShape<Dim>{global_pool_shape(n), norm_order(n)})
      .in(0)
      .out(0);
}

void axes_of_average(Axes& n) {
  axes_of_planes(n, Axes::Kind::sum);
  join_means(n);
}

// The spatial axes as one.
Term as_rows(const Gradient& n, Term v) { return n.emit("Reshape", {v, n.list({0, 0, -1})}); }

void gradient_of_average(Gradient& n) {
  const Term results = n.emit("Max", {apply("Size", n.y()), n.builder().integer(1)});
  const Term count = convert(apply("Size", n.x()) / results, n.x().type().elem);
  n.dx(0, expand_like(n.dy() / count, n.x()));
}

// The first of several largest elements.
void gradient_of_max(Gradient& n) {
  const Term x = as_rows(n, n.x());
  const Term at = n.emit("ArgMax", {x}, {{"axis", std::int64_t{2}}});
  const Term dx = n.emit("ScatterElements", {n.builder().filled(0, x), at, as_rows(n, n.dy())},
                         {{"axis", std::int64_t{2}}});
  n.dx(0, n.builder().reshape(dx, n.x()));
}

void gradient_of_lp(Gradient& n) {
  const std::int64_t p = norm_order(n);
  n.dx(0, gradient_of_norm(n.x(), p, divided_by_norm(n.dy(), n.y(), p)));
}

constexpr Op rows[] = {
    {
        .name = "GlobalAveragePool",
        .versions = "1 22",
        .inputs = "X:T",
        .outputs = "Y:T",
        .types = "T: floats",
        .infer = infer_global_pool,
        .axes = axes_of_average,
        .lower = lower_average,
        .layout = accept_channels_last,
        .epilogue = Epilogue::channel_is_axis_1,
        .gradient = gradient_of_average,
    },
    {
        .name = "GlobalMaxPool",
        .versions = "1 22",
        .inputs = "X:T",
        .outputs = "Y:T",
        .types = "T: floats",
        .infer = infer_global_pool,
        .axes = [](Axes& n) { axes_of_planes(n, Axes::Kind::max); },
        .lower = lower_max,
        .layout = accept_channels_last,
        .epilogue = Epilogue::channel_is_axis_1,
        .gradient = gradient_of_max,
    },
    {
        .name = "GlobalLpPool",
        .versions = "1 2 22",
        .inputs = "X:T",
        .outputs = "Y:T",
        .types = "T: floats",
        .attributes = "p:int=2@2- p:float=2@1-1",
        .limits = "a fraction p of version 1",
        .upgrade = upgrade_lp,
        .infer = infer_lp,
        .lower = lower_lp,
        .layout = accept_channels_last,
        .gradient = gradient_of_lp,
    },
    internal({
        .name = "GlobalAveragePoolInt8",
        .inputs = "X:T",
        .outputs = "Y:T2",
        .types = "T: int8 uint8; T2: float int8 uint8",
        .attributes = "zero:float! step:float!",
        .infer = infer_average_int8,
        .lower = lower_average_int8,
        .layout = accept_int8,
        .epilogue = Epilogue::channel_is_axis_1,
    }),
};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::global_pool

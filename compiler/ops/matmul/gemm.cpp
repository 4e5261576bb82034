// Gemm: alpha * A' * B' + beta * C for matrices A' and B', each transposed or not.
#include <cmath>

#include "compiler/ops/axes.hpp"
#include "compiler/ops/gradient.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/macs.hpp"
#include "compiler/ops/matmul/matmul_shape.hpp"
#include "compiler/ops/packing.hpp"
#include "compiler/ops/region.hpp"
#include "compiler/ops/upgrade.hpp"
#include "compiler/ops/window.hpp"

namespace onnxc::ops::gemm {
namespace {

struct Extents {
  Dim m, k, n;
};

Extents extents(const NodeView& n) {
  const Shape &a = *n.input(0).shape, &b = *n.input(1).shape;
  n.require(a.size() == 2, input_field(0, "A"), "rank {}, needs 2", a.size());
  n.require(b.size() == 2, input_field(1, "B"), "rank {}, needs 2", b.size());
  const bool ta = n.attr_int("transA") != 0, tb = n.attr_int("transB") != 0;
  const Dim inner_a = a[ta ? 0 : 1], inner_b = b[tb ? 1 : 0];
  n.require(!inner_a.is_const() || !inner_b.is_const() || inner_a == inner_b, "inputs",
            "A' has {} columns, B' has {} rows", inner_a.to_string(), inner_b.to_string());
  return {a[ta ? 1 : 0], n.same(inner_a, inner_b, "inputs"), b[tb ? 0 : 1]};
}

void check_c(const NodeView& n, const Extents& e) {
  if (!n.has_input(2) || !n.input(2).has_rank()) return;
  const Shape& c = *n.input(2).shape;
  n.require(c.size() <= 2, input_field(2, "C"), "rank {}, needs at most 2", c.size());
  for (std::size_t i = 0; i < c.size(); ++i) {
    const Dim& want = c.size() - i == 1 ? e.n : e.m;
    n.require(!c[i].is_const() || c[i].is(1) || !want.is_const() || c[i] == want,
              input_field(2, "C"), "{} does not broadcast to [{},{}]", to_string(c),
              e.m.to_string(), e.n.to_string());
    n.same(n.broadcast(c[i], want, input_field(2, "C")), want, input_field(2, "C"));
  }
}

void infer(Infer& n) {
  if (!n.has_rank(0) || !n.has_rank(1)) return n.output(0, n.elem(0), std::nullopt);
  const Extents e = extents(n);
  check_c(n, e);
  n.output(0, n.elem(0), Shape{e.m, e.n});
}

void upgrade(Upgrade& n) { n.remove("broadcast"); }

struct Steps {
  Dim row = 0, column = 0;
};

Steps steps_of_c(const Shape& c, const Extents& e) {
  if (c.empty()) return {};
  const Dim& columns = c.back();
  Steps s;
  if (c.size() == 2) s.row = c[0] == e.m ? columns : Dim::broadcast_stride(c[0], columns);
  s.column = columns == e.n ? Dim(1) : Dim::broadcast_stride(columns, 1);
  return s;
}

// C as the bias of the fast kernel: one value for each column. False when C has another form.
bool bias_of(Lower& n, const Extents& e, BufferId& bias) {
  bias = -1;
  const float beta = n.attr_float("beta");
  if (!n.has_input(2) || beta == 0.0f) return true;
  const Shape& c = n.shape(2);
  const bool per_column = product(c) == e.n && !c.empty() && c.back() == e.n;
  if (per_column && beta == 1.0f) {
    bias = n.in(2);
    return true;
  }
  const Tensor* value = n.constant(2);
  if (!value || !e.n.is_const() || (!per_column && value->size() != 1)) return false;
  TensorBuilder scaled(ElemType::float32, {e.n.value()});
  for (std::int64_t j = 0; j < scaled.size(); ++j)
    scaled.data<float>()[j] =
        beta * value->as<float>()[static_cast<std::size_t>(per_column ? j : 0)];
  bias = n.constant(scaled.take(), "bias");
  return true;
}

bool lower_packed(Lower& n, const Extents& e) {
  const Tensor* b = n.constant(1);
  if (n.elem(0) != ElemType::float32 || !b || n.attr_int("transA") != 0) return false;
  BufferId bias = -1;
  if (!bias_of(n, e, bias)) return false;
  const Tile tile = choose_tile(n.target(), e.n, LeftRows{e.m, e.k});
  Tensor w = pack_gemm(*b, e.k.value(), e.n.value(), n.attr_int("transB") != 0,
                       n.attr_float("alpha"), tile.panel);
  lower_packed_product(n, {e.m, e.k, e.n, tile, compress_to_half(std::move(w), n.target()), bias});
  return true;
}

bool adds_c(const Lower& n) { return n.has_input(2) && n.attr_float("beta") != 0.0f; }

// y = v + C, then the fused body, with C read per element or per column; null when C has another
// form.
std::optional<Lambda> adding_c(Lower& n, const Extents& e) {
  const Shape& c = n.shape(2);
  const bool element = c == Shape{e.m, e.n};
  const bool column = !c.empty() && c.back() == e.n && product(c) == e.n;
  if (n.attr_float("beta") != 1.0f || (!element && !column)) return {};
  Lambda f = n.epilogue_lambda();
  f.form = Lambda::Form::epilogue;
  f.captures.push_back({n.in(2), element ? Lambda::Read::element : Lambda::Read::channel});
  // The body reads the sum instead of v.
  for (LambdaCall& call : f.calls)
    for (int& operand : call.operands)
      operand = operand == 0 ? ~0 : operand < 0 ? operand - 1 : operand;
  const int captured = static_cast<int>(f.captures.size());
  f.calls.insert(f.calls.begin(),
                 LambdaCall{ScalarFn{.name = "add", .literals = {}}, {0, captured}});
  return f;
}

// A in rows: the copy costs little compared with the product, whose fast kernel needs it.
BufferId transposed_a(Lower& n, const Extents& e) {
  if (e.m.is(0) || e.k.is(0)) return n.in(0);  // nothing is read
  const BufferId rows = n.scratch(ElemType::float32, Dim::max(e.m * e.k, 1), "transposed");
  lower_region(n, {.dims = {e.m, e.k}, .from = {1, e.m}, .to = {e.k, 1}}, n.in(0), rows);
  return rows;
}

bool lower_products(Lower& n, const Extents& e) {
  if (n.elem(0) != ElemType::float32) return false;
  const std::optional<Lambda> f = adds_c(n) ? adding_c(n, e) : std::nullopt;
  if (adds_c(n) && !f) return false;
  DynamicProduct p{.m = e.m,
                   .k = e.k,
                   .n = e.n,
                   .transposed_b = n.attr_int("transB") != 0,
                   .alpha = n.attr_float("alpha")};
  // A row and a column lie in memory alike.
  const bool is_vector = e.m.is(1) || e.k.is(1);
  if (n.attr_int("transA") != 0 && !is_vector) p.a = transposed_a(n, e);
  return lower_dynamic(n, p, f ? &*f : nullptr);
}

// Whether the integer element type holds the factor exactly.
bool is_whole(float v, ElemType elem) {
  const float least = is_signed_integer(elem) ? -0x1p31f : 0.0f;
  return !is_integer(elem) || (std::trunc(v) == v && v >= least && v < 0x1p31f);
}

void lower(Lower& n) {
  const Extents e = extents(n);
  if (lower_packed(n, e) || lower_products(n, e)) return;
  const float alpha = n.attr_float("alpha"), beta = n.attr_float("beta");
  const bool fraction = !is_whole(alpha, n.elem(0)) || !is_whole(beta, n.elem(0));
  const bool ta = n.attr_int("transA") != 0, tb = n.attr_int("transB") != 0;
  const Steps steps = n.has_input(2) ? steps_of_c(n.shape(2), e) : Steps{};
  const BufferId panel = fraction ? -1 : product_panel(n, e.m, e.k);
  const MatrixStrides<Dim> matrices = {.m = e.m,
                                       .k = e.k,
                                       .n = e.n,
                                       .a_row = ta ? Dim(1) : e.k,
                                       .a_column = ta ? e.m : Dim(1),
                                       .b_row = tb ? Dim(1) : e.n,
                                       .b_column = tb ? e.k : Dim(1)};
  const AddedMatrix<Dim> c = {steps.row, steps.column, alpha, beta};
  Call call =
      fraction
          ? n.call("gemm_scaled", GemmScaledShape<Dim>{matrices, c})
          : n.call("matmul_nd", MatMulNdShape<Dim>{{{1}, {0}, {0}}, matrices, c}).template_arg("1");
  call.in({0, 1}).in(2, n.elem(0));
  if (!fraction) add_panel(call, panel, n.elem(0));
  call.out(0).macs(n.macs());
  if (!fraction) call.epilogue();
}

Term product_of(const Gradient& n, Term a, bool ta, Term b, bool tb) {
  return n.emit("Gemm", {a, b},
                {{"alpha", n.attr_float("alpha")},
                 {"transA", std::int64_t{ta}},
                 {"transB", std::int64_t{tb}}});
}

// Y = alpha A' B' + beta C: dA' = alpha dY B'^T and dB' = alpha A'^T dY.
void gradient(Gradient& n) {
  const bool ta = n.attr_int("transA") != 0, tb = n.attr_int("transB") != 0;
  const Term dy = n.dy();
  if (n.wants(0))
    n.dx(0, ta ? product_of(n, n.x(1), tb, dy, true) : product_of(n, dy, false, n.x(1), !tb));
  if (n.wants(1))
    n.dx(1, tb ? product_of(n, dy, true, n.x(0), ta) : product_of(n, n.x(0), !ta, dy, false));
  const double beta = n.attr_float("beta");
  if (n.wants(2)) n.dx_summed(2, beta == 1 ? dy : dy * beta);
}

// C is added by all devices to their own part, or to the sum of the partial products.
void axes(Axes& n) {
  const bool ta = n.attr_int("transA") != 0, tb = n.attr_int("transB") != 0;
  const int rows = n.loop(n.out_shape(0)[0]), columns = n.loop(n.out_shape(0)[1]);
  const int inner = n.loop(n.shape(0)[ta ? 0 : 1], Axes::Kind::sum);
  n.input(0, ta ? 1 : 0, {rows});
  n.input(0, ta ? 0 : 1, {inner});
  n.input(1, tb ? 1 : 0, {inner});
  n.input(1, tb ? 0 : 1, {columns});
  n.output(0, 0, {rows});
  n.output(0, 1, {columns});
  if (!n.has_input(2)) return;
  const Shape& c = n.shape(2);
  for (std::size_t i = 0; i < c.size(); ++i) {
    const std::size_t axis = i + 2 - c.size();
    if (c[i] == n.out_shape(0)[axis]) n.input(2, i, {axis == 0 ? rows : columns});
  }
  n.adapt = [inner](Axes::Part& p) {
    if (p.cut(inner)) p.node.inputs.set(2, nullptr);
  };
  const float beta = n.attr_float("beta");
  n.finish = [inner, beta](Axes::Part& p, Value* sum) {
    return p.cut(inner) ? p.add_scaled(sum, p.inputs[2], beta) : sum;
  };
}

constexpr Op rows[] = {{
    .name = "Gemm",
    .versions = "1 6 7 9 11 13",
    .inputs = "A:T B:T C:T?",
    .outputs = "Y:T",
    .types = "T: floats uint32 uint64 int32 int64",
    .attributes = "alpha:float=1 beta:float=1 transA:int=0 transB:int=0 broadcast:int@1-6",
    .upgrade = upgrade,
    .infer = infer,
    .axes = axes,
    .lower = lower,
    .macs = matmul_macs<0>,
    .epilogue = Epilogue::channel_is_last_axis,
    .gradient = gradient,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::gemm

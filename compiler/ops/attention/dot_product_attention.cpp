// onnxc::DotProductAttention: softmax(scaled and masked q * k) * v, in one kernel. The operands are
// strided views of the inputs. Made by passes/fusion/fuse_attention.
#include "compiler/ops/attention/attention_tiled.hpp"
#include "compiler/ops/infer.hpp"

namespace onnxc::ops::dot_product_attention {
namespace {

// The kernel walks three batch axes, then rows; only keys have a column stride, too.
constexpr std::size_t kRows = 3, kColumns = 4;

Shape row_strides(const View& v) { return {v.strides.begin(), v.strides.begin() + kColumns}; }

void set_masks(const NodeView& n, AttentionTiledShape<Dim>& a) {
  if (n.has_input(3)) {
    const View& mask = n.attr_view("mask");
    a.mask_strides = row_strides(mask);
    a.mask_offset = mask.offset;
  }
  if (n.has_input(4)) {
    const View& mask = n.attr_view("bool_mask");
    a.bool_mask_strides = row_strides(mask);
    a.bool_mask_offset = mask.offset;
  }
  a.masked_value = n.attr_float("masked_value");
  a.mask_keeps = n.attr_int("mask_keeps") != 0;
}

void lower(Lower& n) {
  const View &q = n.attr_view("q"), &k = n.attr_view("k"), &v = n.attr_view("v"),
             &y = n.attr_view("y");
  AttentionTiledShape<Dim> a;
  a.batch = {y.dims.begin(), y.dims.begin() + kRows};
  a.q_length = y.dims[kRows];
  a.kv_length = a.kv_valid = k.dims[kRows];
  a.width = q.dims[kColumns];
  a.v_width = y.dims[kColumns];
  a.q_strides = row_strides(q);
  a.k_strides = k.strides;
  a.v_strides = row_strides(v);
  a.y_strides = row_strides(y);
  a.q_offset = q.offset;
  a.k_offset = k.offset;
  a.v_offset = v.offset;
  set_masks(n, a);
  a.scale = n.attr_float("scale");
  a.divisor = n.attr_float("divisor");
  a.nan_is_zero = n.attr_int("nan_is_zero") != 0;
  AttentionBuffers b{n.in(0), n.in(1), n.in(2), n.out(0)};
  if (n.has_input(3)) b.mask = n.in(3);
  if (n.has_input(4)) b.bool_mask = n.in(4);
  lower_attention_tiled(n, a, b);
}

// The attributes are views with the axes [batch, batch, batch, rows, columns]: q [.., length,
// width], k and v [.., keys, width], masks [.., length, keys] of the inputs, y of the output.
constexpr Op rows[] = {internal({
    .name = "DotProductAttention",
    .inputs = "q:T k:T v:T mask:T? bool_mask:bool?",
    .outputs = "y:T",
    .types = "T: float",
    .attributes = "q:view! k:view! v:view! mask:view bool_mask:view y:view! scale:float=1 "
                  "divisor:float=1 masked_value:float=0 mask_keeps:int=1 nan_is_zero:int=0",
    .lower = lower,
})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::dot_product_attention

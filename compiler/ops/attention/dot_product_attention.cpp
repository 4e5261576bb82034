// onnxc::DotProductAttention: softmax(scaled and masked q * k) * v, as one kernel, of operands that
// lie in their tensors by steps. What passes/fuse_attention finds in a model.
#include "compiler/ir/parse.hpp"
#include "compiler/ops/attention/attention_tiled.hpp"
#include "compiler/ops/infer.hpp"

namespace onnxc::ops::dot_product_attention {
namespace {

Shape extents(const NodeView& n, const std::string& name) {
  Shape list;
  for (const std::string& text : n.attr_strings(name)) list.push_back(parse_dim(text));
  return list;
}

// Steps, of which the first one is the offset.
Shape steps(const NodeView& n, const std::string& name, Dim& offset) {
  Shape list = extents(n, name);
  offset = list.front();
  list.erase(list.begin());
  return list;
}

void lower(Lower& n) {
  AttentionTiled a;
  const Shape sizes = extents(n, "sizes");
  a.batch = {sizes[0], sizes[1], sizes[2]};
  a.q_length = sizes[3];
  a.kv_length = a.kv_valid = sizes[4];
  a.width = sizes[5];
  a.v_width = sizes[6];
  Dim start;
  a.q = steps(n, "q", a.q_offset);
  a.k = steps(n, "k", a.k_offset);
  a.v = steps(n, "v", a.v_offset);
  a.y = steps(n, "y", start);
  if (n.has_input(3)) a.mask = steps(n, "mask", a.mask_offset);
  if (n.has_input(4)) a.truth = steps(n, "truth", a.truth_offset);
  a.scale = n.attr_float("scale");
  a.divisor = n.attr_float("divisor");
  a.fill = n.attr_float("fill");
  a.keeps = n.attr_int("keeps") != 0;
  a.nan_is_zero = n.attr_int("nan_is_zero") != 0;
  AttentionBuffers b{n.in(0), n.in(1), n.in(2), n.out(0)};
  if (n.has_input(3)) b.mask = n.in(3);
  if (n.has_input(4)) b.truth = n.in(4);
  lower_attention_rows(n, a, b);
}

// sizes: three batch axes, lengths of queries and keys, widths of keys and values. q, k, v, mask,
// y: the offset, then steps of the batch axes and rows, for k of the columns as well.
constexpr Op rows[] = {{
    .name = "DotProductAttention",
    .domain = "onnxc",
    .versions = "1",
    .inputs = "q:T k:T v:T mask:T? truth:bool?",
    .outputs = "y:T",
    .types = "T: float",
    .attributes = "sizes:strings! q:strings! k:strings! v:strings! mask:strings truth:strings "
                  "y:strings! scale:float=1 divisor:float=1 fill:float=0 keeps:int=1 "
                  "nan_is_zero:int=0",
    .lower = lower,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::dot_product_attention

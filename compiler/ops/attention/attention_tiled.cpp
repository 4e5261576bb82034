// Calls the kernels attention_tiled and attention_grad_tiled with tiles and scratch for the target.
#include "compiler/ops/attention/attention_tiled.hpp"

#include <algorithm>

#include "compiler/ops/packing.hpp"
#include "templates/attention/attention_grad_tiled.hpp"
#include "templates/attention/attention_tiled.hpp"

namespace onnxc::ops {
namespace {

// Both products use tiles of the same height, so that they divide the rows alike.
struct Tiles {
  int rows, keys, values;
};

Tiles choose_tiles(const Target& target, const Dim& kv_length, const Dim& width) {
  const Tile keys = choose_tile(target, kv_length), values = choose_tile(target, width);
  return {std::min(keys.rows, values.rows), keys.panel, values.panel};
}

// The number of queries may be known only at run time.
Dim scratch_floats(const AttentionTiledShape<Dim>& a, const Tiles& t) {
  const Dim few = attention_scratch_few(a);
  const Dim many = attention_scratch_many(a, t.rows, t.keys, t.values);
  if (!a.q_length.is_const()) return Dim::max(few, many);
  return a.q_length.value() <= kFewRows ? few : many;
}

void add_mask_strides(AttentionTiledShape<Dim>& a) {
  for (Shape* strides : {&a.mask_strides, &a.bool_mask_strides})
    if (strides->empty()) strides->assign(4, 0);
}

void add_tiles(Call& call, const Tiles& tiles) {
  for (int size : {tiles.rows, tiles.keys, tiles.values}) call.template_arg(std::to_string(size));
}

void add_optional(Call& call, BufferId buffer, ElemType elem) {
  if (buffer >= 0)
    call.read(buffer);
  else
    call.null(elem);
}

void add_masks(Call& call, const AttentionBuffers& b) {
  add_optional(call, b.mask, ElemType::float32);
  add_optional(call, b.bool_mask, ElemType::boolean);
  add_optional(call, b.lengths, ElemType::int64);
}

}  // namespace

Shape head_strides(const Dim& heads, const Dim& group, const Dim& length, const Dim& width) {
  const Dim head = length * width;
  return {heads * group * head, group * head, group.is(1) ? Dim(0) : head, width};
}

Shape position_strides(const Dim& group, const Dim& length, const Dim& width, const Dim& hidden) {
  return {length * hidden, group * width, group.is(1) ? Dim(0) : width, hidden};
}

void lower_attention_tiled(Lower& n, AttentionTiledShape<Dim> a, const AttentionBuffers& b) {
  const Tiles tiles = choose_tiles(n.target(), a.kv_length, a.v_width);
  const BufferId scratch = n.thread_scratch(ElemType::float32, scratch_floats(a, tiles));
  add_mask_strides(a);
  Call call = n.call("attention_tiled", a).divisible();
  add_tiles(call, tiles);
  call.read(b.q).read(b.k).read(b.v);
  add_masks(call, b);
  add_optional(call, b.positions, ElemType::int64);
  call.write(b.y).write(scratch);
  call.macs(product(a.batch) * a.q_length * a.kv_length * (a.width + a.v_width));
}

void lower_attention_grad_tiled(Lower& n, AttentionTiledShape<Dim> a, const AttentionBuffers& b) {
  const Tiles tiles = choose_tiles(n.target(), a.kv_length, a.width);
  const Dim floats = attention_grad_scratch(a, tiles.rows, tiles.keys, tiles.values);
  const BufferId scratch = n.thread_scratch(ElemType::float32, floats);
  add_mask_strides(a);
  Call call = n.call("attention_grad_tiled", a).divisible();
  add_tiles(call, tiles);
  call.read(b.q).read(b.k).read(b.v);
  add_masks(call, b);
  call.read(b.y).begin_struct("AttentionGrads").out({0, 1, 2}).end_struct().write(scratch);
  call.macs(product(a.batch) * a.q_length * a.kv_length * (a.width * 3 + a.v_width * 2));
}

}  // namespace onnxc::ops

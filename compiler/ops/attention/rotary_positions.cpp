// com.microsoft RotaryEmbedding: rotates pairs of elements of every head by angles that depend on
// the position.
#include "compiler/kernels/attention_calls.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/ops/window.hpp"

namespace onnxc::ops::rotary_positions {
namespace {

struct Sizes {
  Dim batch, heads, length, width, rotated, positions;
  bool rank3 = false, one_id = false;
};

Sizes read(const NodeView& n) {
  const Shape& x = *n.input(0).shape;
  n.require(x.size() == 3 || x.size() == 4, input_field(0, "input"), "rank {}, needs 3 or 4",
            x.size());
  for (std::size_t i : {2, 3})
    n.require(n.input(i).shape->size() == 2, input_field(i, i == 2 ? "cos_cache" : "sin_cache"),
              "rank {}, needs 2", n.input(i).shape->size());
  const Shape &cosines = *n.input(2).shape, &sines = *n.input(3).shape;
  const std::int64_t heads = n.attr_int("num_heads"), rotated = n.attr_int("rotary_embedding_dim");
  n.require(heads >= 0, "attribute \"num_heads\"", "{} heads", heads);
  n.require(rotated >= 0, "attribute \"rotary_embedding_dim\"", "{} is negative", rotated);
  n.require(rotated == 0 || heads > 0 || x.size() == 4, "attribute \"num_heads\"",
            "is needed with rotary_embedding_dim");
  Sizes s;
  s.rotated = cosines[1] * 2;
  s.positions = n.same(cosines[0], sines[0], input_field(3, "sin_cache"));
  n.same(sines[1], cosines[1], input_field(3, "sin_cache"));
  if (rotated > 0) n.same(s.rotated, rotated, "attribute \"rotary_embedding_dim\"");
  s.batch = x[0];
  s.rank3 = x.size() == 3;
  if (!s.rank3) {
    s.heads = x[1];
    s.length = x[2];
    s.width = x[3];
  } else {
    s.length = x[1];
    s.width = heads > 0 ? Dim::floor_div(x[2], heads) : s.rotated;
    s.heads = heads > 0 ? Dim(heads) : Dim::floor_div(x[2], s.rotated);
    n.require(!s.rotated.is(0), input_field(2, "cos_cache"), "has no angles");
    n.same(s.heads * s.width, x[2], input_field(0, "input"));
  }
  n.at_most(s.rotated, s.width, input_field(2, "cos_cache"));
  const Shape& ids = *n.input(1).shape;
  n.require(ids.size() == 1 || ids.size() == 2, input_field(1, "position_ids"),
            "rank {}, needs 1 or 2", ids.size());
  s.one_id = ids.size() == 1;
  if (s.one_id) {
    n.same(ids[0], 1, input_field(1, "position_ids"));
  } else {
    n.same(ids[0], s.batch, input_field(1, "position_ids"));
    n.same(ids[1], s.length, input_field(1, "position_ids"));
  }
  return s;
}

bool known(const NodeView& n) {
  for (std::size_t i = 0; i < 4; ++i)
    if (!n.input(i).has_rank()) return false;
  return true;
}

void infer(Infer& n) {
  if (n.attr_int("is_packed_batching") != 0)
    n.unsupported("attribute \"is_packed_batching\"", "only 0 is supported");
  if (known(n)) read(n);
  infer_like_first(n);
}

void lower(Lower& n) {
  const Sizes s = read(n);
  n.call("rotary_positions",
         RotaryPositionsShape<Dim>{.batch = s.batch,
                                   .heads = s.heads,
                                   .length = s.length,
                                   .width = s.width,
                                   .rotated = s.rotated,
                                   .positions = s.positions,
                                   .interleaved = n.attr_int("interleaved") != 0,
                                   .one_id = s.one_id,
                                   .batch_stride = s.heads * s.length * s.width,
                                   .head_stride = s.rank3 ? s.width : s.length * s.width,
                                   .position_stride = s.rank3 ? s.heads * s.width : s.width})
      .in({0, 1, 2, 3})
      .out(0);
}

constexpr Op rows[] = {contrib({
    .name = "RotaryEmbedding",
    .inputs = "input:T position_ids:int64 cos_cache:T sin_cache:T",
    .outputs = "output:T",
    .types = "T: float float16 bfloat16",
    .attributes = "interleaved:int=0 is_packed_batching:int=0 num_heads:int=0 "
                  "rotary_embedding_dim:int=0 scale:float=1",
    .limits = "is_packed_batching",
    .infer = infer,
    .lower = lower,
})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::rotary_positions

// RotaryEmbedding: rotates pairs of elements of every head by angles that depend on the position.
#include "compiler/ops/attention/heads.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/ops/window.hpp"
#include "templates/attention/attention_calls.hpp"

namespace onnxc::ops::rotary_embedding {
namespace {

struct Sizes {
  Heads x;
  Dim rotated, positions = 0;
};

Sizes read(const NodeView& n) {
  Sizes s;
  s.x = read_heads(n, 0, "X", n.find_int("num_heads"), "num_heads");
  const std::int64_t given = n.attr_int("rotary_embedding_dim");
  n.require(given >= 0 && (!s.x.width.is_const() || given <= s.x.width.value()),
            "attribute \"rotary_embedding_dim\"", "{} of {}", given, s.x.width.to_string());
  s.rotated = given > 0 ? Dim(given) : s.x.width;
  n.require(!s.rotated.is_const() || s.rotated.value() % 2 == 0, input_field(0, "X"),
            "an odd number of elements to rotate: {}", s.rotated.to_string());
  n.at_most(s.rotated, s.x.width, "attribute \"rotary_embedding_dim\"");
  n.same(Dim::floor_div(s.rotated, 2) * 2, s.rotated, input_field(0, "X"));
  const std::size_t rank = n.has_input(3) ? 2 : 3;
  for (std::size_t i : {1, 2}) {
    if (!n.input(i).has_rank()) continue;
    const Shape& c = *n.input(i).shape;
    const std::string field = input_field(i, i == 1 ? "cos_cache" : "sin_cache");
    n.require(c.size() == rank, field, "rank {}, needs {}", c.size(), rank);
    n.require(!c.back().is_const() || !s.rotated.is_const() || c.back().is(s.rotated.value() / 2),
              field, "{} angles for {} elements", c.back().to_string(), s.rotated.to_string());
    const Dim rows = rank == 3 ? c[0] * c[1] : c[0];
    const Dim want = rank == 3 ? s.x.batch * s.x.length : i == 2 ? s.positions : rows;
    n.require(!rows.is_const() || !want.is_const() || rows == want, field, "{} rows, needs {}",
              rows.to_string(), want.to_string());
    n.same(c.back() * 2, s.rotated, field);
    n.same(rows, want, field);
    s.positions = rows;
  }
  if (n.has_input(3) && n.input(3).has_rank()) {
    const Dim count = product(*n.input(3).shape), want = s.x.batch * s.x.length;
    n.require(!count.is_const() || !want.is_const() || count == want,
              input_field(3, "position_ids"), "{} ids, needs {}", count.to_string(),
              want.to_string());
    n.same(count, want, input_field(3, "position_ids"));
  }
  return s;
}

void infer(Infer& n) {
  infer_like_first(n);
  if (n.has_rank(0)) read(n);
}

void lower(Lower& n) {
  const Sizes s = read(n);
  n.call("rotary_embedding",
         RotaryEmbeddingShape<Dim>{s.x.batch, s.x.heads, s.x.length, s.x.width, s.rotated,
                                   s.positions, n.attr_int("interleaved") != 0, s.x.rank3})
      .in({0, 1, 2, 3})
      .out(0);
}

constexpr Op rows[] = {{
    .name = "RotaryEmbedding",
    .versions = "23",
    .inputs = "X:T cos_cache:T sin_cache:T position_ids:int64?",
    .outputs = "Y:T",
    .types = "T: float float16 bfloat16",
    .attributes = "interleaved:int=0 num_heads:int rotary_embedding_dim:int=0",
    .infer = infer,
    .lower = lower,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::rotary_embedding

// RotaryEmbedding: rotates pairs of elements of every head by angles that depend on the position.
#include "compiler/kernels/attention_calls.hpp"
#include "compiler/ops/attention/heads.hpp"
#include "compiler/ops/gradient.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/ops/window.hpp"

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
    if (rank == 3) n.same(c[0], s.x.batch, field);
    s.positions = rows;
  }
  if (n.has_input(3) && n.input(3).has_rank()) {
    const Shape& ids = *n.input(3).shape;
    const std::string field = input_field(3, "position_ids");
    n.require(ids.size() == 2, field, "rank {}, needs 2", ids.size());
    n.same(ids[0], s.x.batch, field);
    n.same(ids[1], s.x.length, field);
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

// The elements that are rotated, [batch, length, heads, rotated / 2]: the first or the second of
// each pair.
Term of_pairs(const Gradient& n, const Sizes& s, Term v, bool second) {
  const std::int64_t rotated = s.rotated.value(), half = rotated / 2;
  v = s.x.rank3 ? n.emit("Reshape", {v, n.list({0, 0, s.x.heads.value(), -1})})
                : permute(v, {0, 2, 1, 3});
  const bool interleaved = n.attr_int("interleaved") != 0;
  const std::int64_t first = !second ? 0 : interleaved ? 1 : half;
  const std::int64_t end = interleaved || second ? rotated : half;
  return n.emit("Slice",
                {v, n.list({first}), n.list({end}), n.list({-1}), n.list({interleaved ? 2 : 1})});
}

// The sum over the heads, added up by position where positions are given.
Term for_cache(const Gradient& n, std::size_t i, Term v) {
  v = sum_over(v, {2}, false);
  if (!n.has_input(3)) return n.builder().reshape(v, n.x(i));
  const Term rows = n.emit(
      "Reshape",
      {v, n.emit("Concat", {n.list({-1}), n.emit("Shape", {n.x(i)}, {{"start", std::int64_t{1}}})},
                 {{"axis", std::int64_t{0}}})});
  const Term at = n.emit("Reshape", {n.x(3), n.list({-1, 1})});
  return n.emit("ScatterND", {n.builder().filled(0, n.x(i)), at, rows},
                {{"reduction", std::string("add")}});
}

// x turns back by the same angles.
void gradient(Gradient& n) {
  n.shape(0);
  const Sizes s = read(n);
  n.dx(0,
       n.emit("RotaryEmbedding", {n.dy(), n.x(1), -n.x(2), n.has_input(3) ? n.x(3).value : nullptr},
              n.node().attributes));
  if (!n.wants(1) && !n.wants(2)) return;
  n.require(s.rotated.is_const() && s.x.heads.is_const(), input_field(0, "X"),
            "the gradient by the angles needs heads of known number and size");
  const Term a = of_pairs(n, s, n.x(), false), b = of_pairs(n, s, n.x(), true);
  const Term da = of_pairs(n, s, n.dy(), false), db = of_pairs(n, s, n.dy(), true);
  if (n.wants(1)) n.dx(1, for_cache(n, 1, da * a + db * b));
  if (n.wants(2)) n.dx(2, for_cache(n, 2, db * a - da * b));
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
    .gradient = gradient,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::rotary_embedding

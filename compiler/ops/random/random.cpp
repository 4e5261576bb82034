// RandomUniform, RandomNormal, their Like forms, Bernoulli and Multinomial. The values are a
// function of the seed, their position and, in training, the number of the step: otherwise they are
// the same in every call. Without the attribute `seed` the seed is 0, and every node has a stream
// of its own, identified by the name of its output.
#include <cmath>

#include "compiler/kernels/random_calls.hpp"
#include "compiler/ops/elementwise/elementwise.hpp"
#include "compiler/ops/random/seed.hpp"

namespace onnxc::ops::random {
namespace {

bool is_floating(ElemType elem) {
  return with_real(elem, [](auto) {});
}

void check_seed(const NodeView& n) {
  for (const char* name : {"seed", "low", "high", "mean", "scale"})
    if (n.has_attr(name))
      n.require(std::isfinite(n.attr_float(name)), "attribute " + quoted(name), "is not finite");
}

std::int64_t stream_of(const NodeView& n) { return n.has_attr("seed") ? 0 : stream_of_name(n); }

RandomDraw<Dim> draw(const NodeView& n) {
  return {n.has_attr("seed") ? n.attr_float("seed") : 0.0f, stream_of(n)};
}

void infer_shaped(Infer& n) {
  check_seed(n);
  const ElemType elem = n.attr_elem_type("dtype");
  n.require(is_floating(elem), "attribute \"dtype\"", "is no floating-point type");
  Shape shape;
  for (const std::int64_t extent : n.attr_ints("shape")) {
    n.require(extent >= 0, "attribute \"shape\"", "negative extent {}", extent);
    shape.emplace_back(extent);
  }
  n.output(0, elem, shape);
}

void infer_like(Infer& n) {
  check_seed(n);
  const ElemType elem = n.has_attr("dtype") ? n.attr_elem_type("dtype") : n.elem(0);
  n.require(is_floating(elem), "attribute \"dtype\"", "is no floating-point type");
  n.output(0, elem, n.input(0).shape);
}

void infer_bernoulli(Infer& n) {
  check_seed(n);
  const ElemType elem = n.has_attr("dtype") ? n.attr_elem_type("dtype") : n.elem(0);
  n.require(elem == ElemType::boolean || with_number(elem, [](auto) {}), "attribute \"dtype\"",
            "is no type for zeros and ones");
  n.output(0, elem, n.input(0).shape);
}

void infer_multinomial(Infer& n) {
  check_seed(n);
  const ElemType elem = n.attr_elem_type("dtype");
  n.require(elem == ElemType::int32 || elem == ElemType::int64, "attribute \"dtype\"",
            "is neither int32 nor int64");
  const std::int64_t samples = n.attr_int("sample_size");
  n.require(samples >= 0, "attribute \"sample_size\"", "is negative");
  if (!n.has_rank(0)) return n.output(0, elem, std::nullopt);
  n.require(n.rank(0) == 2, "input 0 \"input\"", "rank {}, needs 2", n.rank(0));
  n.require(!n.shape(0)[1].is(0), "input 0 \"input\"", "has no classes");
  n.at_least(n.shape(0)[1], 1, "input 0 \"input\"");
  n.output(0, elem, Shape{n.shape(0)[0], samples});
}

void lower_uniform(Lower& n) {
  n.call("random_uniform", RandomUniformShape<Dim>{draw(n), product(n.out_shape(0)),
                                                   n.attr_float("low"), n.attr_float("high")})
      .with_fresh_rng_stream()
      .out(0);
}

void lower_normal(Lower& n) {
  n.call("random_normal", RandomNormalShape<Dim>{draw(n), product(n.out_shape(0)),
                                                 n.attr_float("mean"), n.attr_float("scale")})
      .with_fresh_rng_stream()
      .out(0);
}

void lower_bernoulli(Lower& n) {
  n.call("bernoulli", BernoulliShape<Dim>{draw(n), product(n.out_shape(0))})
      .with_fresh_rng_stream()
      .in(0)
      .out(0);
}

void lower_multinomial(Lower& n) {
  const Shape& x = n.shape(0);
  n.call("multinomial", MultinomialShape<Dim>{draw(n), x[0], x[1], n.out_shape(0)[1]})
      .with_fresh_rng_stream()
      .in(0)
      .out(0);
}

constexpr Op rows[] = {
    {
        .name = "RandomUniform",
        .versions = "1 22",
        .inputs = "",
        .outputs = "output:any",
        .attributes = "dtype:int=1 high:float=1 low:float=0 seed:float shape:ints!",
        .infer = infer_shaped,
        .lower = lower_uniform,
        .draws = true,
    },
    {
        .name = "RandomNormal",
        .versions = "1 22",
        .inputs = "",
        .outputs = "output:any",
        .attributes = "dtype:int=1 mean:float=0 scale:float=1 seed:float shape:ints!",
        .infer = infer_shaped,
        .lower = lower_normal,
        .draws = true,
    },
    {
        .name = "RandomUniformLike",
        .versions = "1 22",
        .inputs = "input:T1",
        .outputs = "output:any",
        .types = "T1: numeric complex bool string",
        .attributes = "dtype:int high:float=1 low:float=0 seed:float",
        .infer = infer_like,
        .lower = lower_uniform,
        .draws = true,
        .gradient = gradient_is_zero,
    },
    {
        .name = "RandomNormalLike",
        .versions = "1 22",
        .inputs = "input:T1",
        .outputs = "output:any",
        .types = "T1: numeric complex bool string",
        .attributes = "dtype:int mean:float=0 scale:float=1 seed:float",
        .infer = infer_like,
        .lower = lower_normal,
        .draws = true,
        .gradient = gradient_is_zero,
    },
    {
        .name = "Bernoulli",
        .versions = "15 22",
        .inputs = "input:T1",
        .outputs = "output:any",
        .types = "T1: floats",
        .attributes = "dtype:int seed:float",
        .infer = infer_bernoulli,
        .lower = lower_bernoulli,
        .draws = true,
        .gradient = gradient_is_zero,
    },
    {
        .name = "Multinomial",
        .versions = "7 22",
        .inputs = "input:T1",
        .outputs = "output:any",
        .types = "T1: floats",
        .attributes = "dtype:int=6 sample_size:int=1 seed:float",
        .infer = infer_multinomial,
        .lower = lower_multinomial,
        .draws = true,
    },
};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::random

// Contracts of kernels: steps return the calls that they were made of, and sizes of scratch memory
// are the same for symbolic extents as for numbers.
#include "compiler/kernels/kernel_call.hpp"

#include <catch2/catch.hpp>

#include "compiler/ir/kernel_declaration.hpp"
#include "compiler/kernels/attention_calls.hpp"
#include "compiler/kernels/convolution_calls.hpp"
#include "compiler/kernels/matmul_calls.hpp"
#include "templates/attention/attention_tiled.hpp"
#include "templates/convolution/conv2d_pool_nhwc.hpp"
#include "templates/matmul/gemm_dynamic.hpp"

namespace onnxc {
namespace {

// A shape with another number in every member.
template <class S>
S numbered() {
  S s{};
  std::int64_t next = 3;
  kernel_call::each_member(s, [&](auto& member, auto) {
    member = static_cast<std::remove_reference_t<decltype(member)>>(next);
    next += 2;
  });
  return s;
}

TEST_CASE("a step gives back its call, and no other") {
  Step step;
  Conv2dNhwc<Dim, Arg> call = {{14, 32}, numbered<ConvShape<Dim>>(), {}};
  call.operands.x = {BufferArg{7, false}};
  call.operands.y = {BufferArg{9, true}};
  set_call(step, call);
  CHECK(step.params.front().name == "batch");
  CHECK(step.params.back().name == "ld_epilogue");
  CHECK(step.args.size() == 4);
  CHECK_FALSE(as<DepthwiseConv2dNhwc>(step));
  const auto same = as<Conv2dNhwc>(step);
  REQUIRE(same);
  CHECK(same->tile.panel == 32);
  CHECK(same->shape.stride_w == call.shape.stride_w);
  CHECK(buffer_of(same->operands.y) == 9);
  CHECK_FALSE(same->operands.epilogue);
}

TEST_CASE("scratch by symbols is that by numbers") {
  ConvPoolShape<Dim> pool = numbered<ConvPoolShape<Dim>>();
  const Dim floats = conv2d_max_pool_scratch(pool);
  CHECK(floats.is(conv2d_max_pool_scratch(numbers(pool))));
  pool.out_w = Dim::symbol("w");
  const Dim open = conv2d_max_pool_scratch(pool);
  const auto width = numbered<ConvPoolShape<Dim>>().out_w;
  CHECK(open.substitute([&](const std::string&) { return width; }) == floats);

  DynamicGemmShape<Dim> gemm = numbered<DynamicGemmShape<Dim>>();
  for (std::int64_t n : {1, 33, 4096}) {
    gemm.k = Dim::symbol("k");
    gemm.n = n;
    const Dim symbolic = gemm_dynamic_scratch(gemm, 32);
    for (std::int64_t k : {0, 1, 700}) {
      gemm.k = k;
      const Dim here = symbolic.substitute([&](const std::string&) { return Dim(k); });
      CHECK(here.is(gemm_dynamic_scratch(numbers(gemm), 32)));
    }
    gemm.k = Dim::symbol("k");
  }
}

TEST_CASE("scratch of attention by symbols is that by numbers") {
  AttentionTiledShape<Dim> symbols{};
  AttentionTiledShape<Index> numbers{};
  numbers.width = 64, numbers.v_width = 80;
  symbols.width = 64, symbols.v_width = 80;
  symbols.kv_length = Dim::symbol("k");
  for (Index k : {1, 17, 500, 9000}) {
    numbers.kv_length = k;
    const auto here = [&](const Dim& d) { return d.substitute([&](auto&) { return Dim(k); }); };
    CHECK(here(attention_scratch_few(symbols)).is(attention_scratch_few(numbers)));
    CHECK(here(attention_scratch_many(symbols, 6, 32, 16))
              .is(attention_scratch_many(numbers, 6, 32, 16)));
  }
}

TEST_CASE("a member that is a struct stands for its members") {
  std::string names;
  for (const Param& p : kernel_call::params_of(ConvNdShape<Dim>{})) names += p.name + " ";
  CHECK(names == "batch group in_c out_c in out kernel stride dilation pad pad_end channels_last ");
}

TEST_CASE("operands with a type are one argument") {
  Step step;
  ExpandDepthwiseNhwc<Dim, Arg> call{};
  call.operands.filter.bias = {BufferArg{7, false}};
  set_call(step, call);
  REQUIRE(step.arg_structs.size() == 2);
  CHECK(step.arg_structs[1].type == "BlockStage");
  CHECK(step.arg_structs[1].begin == 4);
  CHECK(step.arg_structs[1].end == 7);
  CHECK(buffer_of(as<ExpandDepthwiseNhwc>(step)->operands.filter.bias) == 7);
}

TEST_CASE("what a kernel returns stands in its declaration") {
  Step step;
  step.kernel = "grouped_lengths";  // in grouped_attention.hpp
  CHECK(is_fallible(step));
  step.kernel = "trilu";
  CHECK_FALSE(is_fallible(step));
  step.kernel = "no_such_kernel";
  CHECK_THROWS_AS(is_fallible(step), std::logic_error);
}

}  // namespace
}  // namespace onnxc

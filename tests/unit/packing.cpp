// packing.cpp - tiles by target and shape.
#include "compiler/ops/packing.hpp"

#include <catch2/catch.hpp>

#include "compiler/support/target.hpp"

using namespace onnxc;

TEST_CASE("weights of a dot product are no more than its terms") {
  const std::vector<float> w(64, 1.0f);
  const Tensor column = Tensor::of<float>(ElemType::float32, {64, 1}, w);
  for (const char* const name : {"generic", "x86-64-v3", "x86-64-v4", "cortex-m4f", "cortex-m55"}) {
    CAPTURE(name);
    const Target target = make_target(name);
    const int panel = ops::choose_tile(target, Dim(1), {Dim(1), Dim(64)}).panel;
    CHECK(ops::pack_gemm(column, 64, 1, false, 1.0f, panel).size() == 64);
    // Of many rows a tile computes several, by vectors.
    if (target.vector_floats > 1)
      CHECK(ops::choose_tile(target, Dim(1), {Dim(9), Dim(64)}).panel > 1);
  }
}

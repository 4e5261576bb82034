// swi_glu.cpp - swi_glu against its definition in double.
#include <catch2/catch.hpp>
#include <cmath>

#include "templates/fn/gated_activation.hpp"

namespace onnxc {

TEST_CASE("swi_glu gates a value by the Swish of another", "[fn]") {
  for (float gate : {-4.0f, -0.5f, 0.0f, 1.0f, 20.0f})
    for (float value : {-2.0f, 0.0f, 3.0f})
      for (float alpha : {0.5f, 1.0f}) {
        const float want = gate / (1.0f + std::exp(-alpha * gate)) * value;
        CHECK(fn::swi_glu(gate, value, alpha) == Approx(want).margin(1e-6));
      }
}

}  // namespace onnxc

// user_operator: what a user's function gets.
#include "templates/user/user_operator.hpp"

#include <catch2/catch.hpp>

namespace {

struct Shape {
  static constexpr int in0[] = {3}, out0[] = {3};
  static constexpr float alpha = 2;
};

}  // namespace

TEST_CASE("A user operator is a call of the function with shape, inputs and outputs") {
  const float x[] = {1, 2, 3};
  float y[3] = {};
  const auto scaled = [](auto s, const float* in, float* out) {
    for (int i = 0; i < s.in0[0]; ++i) out[i] = s.alpha * in[i];
  };
  onnxc::user_operator(Shape{}, scaled, x, y);
  CHECK(y[0] == 2);
  CHECK(y[2] == 6);
}

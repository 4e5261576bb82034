// instructions.cpp - estimates of instructions: which targets have numbers, and what they count.
#include "compiler/schedule/instructions.hpp"

#include <catch2/catch.hpp>

#include "compiler/ir/program.hpp"
#include "compiler/support/target.hpp"

using namespace onnxc;

namespace {

Step product(std::int64_t rows) {
  Step step;
  step.kernel = "gemm";
  step.macs = rows * 64 * 32;
  step.inputs = rows * 64;
  step.outputs = rows * 32;
  return step;
}

double of(const char* target, const Step& step) {
  return InstructionEstimate::of(make_target(target)).value().step(step);
}

}  // namespace

TEST_CASE("cores of one instruction set have the same numbers, other targets none") {
  CHECK(of("cortex-m7", product(8)) == of("cortex-m4f", product(8)));
  CHECK(of("cortex-m85", product(8)) == of("cortex-m55", product(8)));
  CHECK(of("cortex-m0plus", product(8)) > 10 * of("cortex-m4f", product(8)));  // no float unit
  for (const char* const target : {"generic", "native", "rv32imc", "x86-64-v3"})
    CHECK_FALSE(InstructionEstimate::of(make_target(target)));
}

TEST_CASE("cycles follow from instructions as each core executes them") {
  const auto cycles = [](const char* target) {
    return InstructionEstimate::of(make_target(target)).value().cycles(product(8));
  };
  const double instructions = of("cortex-m4f", product(8));
  CHECK(cycles("cortex-m4f").cycles > instructions);
  CHECK(cycles("cortex-m7").cycles < instructions);  // two at a time
  CHECK(cycles("cortex-m33").cycles < cycles("cortex-m4f").cycles);
  CHECK(cycles("cortex-m4f").constant_loads < instructions);
  Program program;
  program.steps = {product(8), product(8)};
  const auto estimate = InstructionEstimate::of(make_target("cortex-m7")).value();
  CHECK(estimate.program_cycles(program)->cycles == Approx(2 * cycles("cortex-m7").cycles));
}

TEST_CASE("instructions grow with the work, and need to know it") {
  const auto estimate = InstructionEstimate::of(make_target("cortex-m4f")).value();
  CHECK(estimate.step(product(16)) > 1.9 * estimate.step(product(8)));
  Program program;
  program.steps = {product(8), product(8)};
  CHECK(*estimate.program(program) == Approx(2 * estimate.step(product(8))));
  program.steps[1].outputs = Dim::symbol("batch");
  CHECK_FALSE(estimate.program(program));
  Step close;
  close.kind = Step::Kind::close;
  CHECK(estimate.step(close) == 0);
}

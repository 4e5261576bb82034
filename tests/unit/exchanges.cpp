// exchanges.cpp - messages between devices stay in the order of the plan.
#include <catch2/catch.hpp>

#include "compiler/schedule/schedule.hpp"

namespace onnxc {
namespace {

Step message(const char* kernel, std::int64_t device, std::int64_t tag) {
  Step step;
  step.kernel = kernel;
  step.params = {{"device", Dim(device)}, {"tag", Dim(tag)}};
  step.args = {{DevicesArg{}}};
  return step;
}

Step all_reduce(std::int64_t tag) {
  Step step;
  step.kernel = "all_reduce";
  step.params = {{"tag", Dim(tag)}};
  step.args = {{DevicesArg{}}};
  return step;
}

TEST_CASE("messages are as planned", "[devices]") {
  const std::vector<Exchange> planned = {{3, 1}, {3, 2}, {5, Exchange::kGroup}, {6, 1}};
  const std::vector<Step> steps = {message("send", 1, 3), Step{}, message("receive", 2, 3),
                                   all_reduce(5), message("send", 1, 6)};
  Program program;
  program.steps = steps;
  CHECK_NOTHROW(check_exchanges(program, planned));
  for (const auto& [a, b] : {std::pair(0, 2), std::pair(2, 3), std::pair(3, 4)}) {
    program.steps = steps;
    std::swap(program.steps[static_cast<std::size_t>(a)],
              program.steps[static_cast<std::size_t>(b)]);
    CHECK_THROWS_AS(check_exchanges(program, planned), std::logic_error);
  }
  program.steps = steps;
  program.steps.pop_back();
  CHECK_THROWS_AS(check_exchanges(program, planned), std::logic_error);
}

}  // namespace
}  // namespace onnxc

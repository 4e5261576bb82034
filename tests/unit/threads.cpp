// threads.cpp - the scratch memory of divided calls.
#include <catch2/catch.hpp>

#include "compiler/schedule/schedule.hpp"

namespace onnxc {
namespace {

BufferId add_buffer(Program& p, ElemType elem, std::int64_t size, bool per_thread) {
  Buffer b;
  b.elem = elem;
  b.shape = {Dim(size)};
  b.per_thread = per_thread;
  p.buffers.push_back(b);
  return static_cast<BufferId>(p.buffers.size() - 1);
}

// A call that is long enough to be divided, with `size` elements of scratch for each thread.
void add_call(Program& p, ElemType elem, std::int64_t size) {
  Step step;
  step.kernel = "kernel";
  step.divisible = true;
  step.args = {{BufferArg{add_buffer(p, ElemType::float32, 1 << 24, false), true}},
               {BufferArg{add_buffer(p, elem, size, true), true}}};
  p.steps.push_back(step);
}

const Buffer& scratch_of(const Program& p, std::size_t step) {
  return p.at(std::get<BufferArg>(p.steps[step].args[1].value).buffer);
}

}  // namespace

TEST_CASE("threads share scratch of the largest size", "[threads]") {
  Program p;
  add_call(p, ElemType::float32, 100);
  add_call(p, ElemType::float32, 1000);
  add_call(p, ElemType::int16, 33);
  add_call(p, ElemType::float32, 10);
  plan_threads(p, 3, make_target("generic"));
  for (const std::size_t step : {0u, 1u, 3u}) {
    CAPTURE(step);
    CHECK(p.steps[step].chunks.is(3));
    CHECK(&scratch_of(p, step) == &scratch_of(p, 0));
  }
  // A cache line of 64 bytes is of one thread.
  CHECK(scratch_of(p, 0).shape == Shape{Dim(3), Dim(1008)});
  CHECK(scratch_of(p, 2).shape == Shape{Dim(3), Dim(64)});
  CHECK(scratch_of(p, 2).elem == ElemType::int16);
}

}  // namespace onnxc

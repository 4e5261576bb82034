// write_parts.cpp - a part is computed in its place in the result of a Concat only where the same
// values are read.
#include "compiler/schedule/schedule.hpp"

#include <catch2/catch.hpp>
#include <utility>

namespace onnxc {
namespace {

constexpr BufferId kSource = 0, kPart = 1, kWhole = 2, kResult = 3;

Step call(const char* kernel, BufferId from, BufferId to) {
  Step step;
  step.kernel = kernel;
  step.args = {{BufferArg{from}}, {BufferArg{to, true}}};
  return step;
}

Step copy_of_part() {
  Step step = call("copy", kPart, kWhole);
  step.part_offset = Dim(0);
  return step;
}

Buffer buffer(Buffer::Kind kind, std::int64_t size) {
  Buffer b;
  b.kind = kind;
  b.elem = ElemType::float32;
  b.shape = {Dim(size)};
  return b;
}

// Whether the copy is gone, and the part a view of the whole.
bool places_part(std::vector<Step> steps) {
  Program program;
  program.buffers = {buffer(Buffer::Kind::input, 4), buffer(Buffer::Kind::arena, 4),
                     buffer(Buffer::Kind::arena, 8), buffer(Buffer::Kind::output, 4)};
  program.steps = std::move(steps);
  const std::size_t before = program.steps.size();
  write_parts(program);
  const bool placed = program.at(kPart).view_of == kWhole;
  CHECK(program.steps.size() == before - (placed ? 1 : 0));
  return placed;
}

}  // namespace

TEST_CASE("write_parts places what the copy read") {
  const Step make = call("exp", kSource, kPart), read = call("sin", kPart, kResult);
  CHECK(places_part({make, copy_of_part()}));
  CHECK(places_part({make, read, copy_of_part()}));
  CHECK(places_part({make, copy_of_part(), read}));
  // The part has another value later.
  CHECK_FALSE(places_part({make, copy_of_part(), make}));
  // The whole has another value while the part is still read.
  const Step overwrite = call("cos", kSource, kWhole);
  CHECK_FALSE(places_part({make, copy_of_part(), overwrite, read}));
  CHECK_FALSE(places_part({make, copy_of_part(), call("neg", kPart, kWhole)}));
  CHECK(places_part({make, copy_of_part(), read, overwrite}));
  // Another part.
  Step other = call("copy", kSource, kWhole);
  other.part_offset = Dim(16);
  CHECK(places_part({make, copy_of_part(), other, read}));
}

}  // namespace onnxc

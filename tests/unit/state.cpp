// State variables: their places in the block, and updates in place.
#include <catch2/catch.hpp>

#include "compiler/schedule/schedule.hpp"

namespace onnxc {
namespace {

StateVariable variable(const std::string& name, ElemType elem, std::vector<std::int64_t> dims) {
  return {name, Tensor::zeros(elem, std::move(dims)), 0};
}

TEST_CASE("wider variables come first, without gaps") {
  State state;
  state.variables = {
      variable("flag", ElemType::boolean, {3}), variable("w", ElemType::float32, {2, 2}),
      variable("steps", ElemType::int64, {}), variable("half", ElemType::float16, {1})};
  Diagnostics diagnostics;
  lay_out_state(state, diagnostics);
  CHECK(state.variables[2].offset == 64);
  CHECK(state.variables[1].offset == 72);
  CHECK(state.variables[3].offset == 88);
  CHECK(state.variables[0].offset == 90);
  CHECK(state.bytes == 93);
  const std::uint64_t layout = state.layout;
  state.variables[1].initial = Tensor::zeros(ElemType::float32, {4});
  lay_out_state(state, diagnostics);
  CHECK(state.layout != layout);
  CHECK_FALSE(diagnostics.has_errors());
}

// A variable (0), its new value (1), and another buffer (2).
Program program() {
  Program p;
  p.buffers.resize(3);
  for (Buffer& b : p.buffers) {
    b.elem = ElemType::float32;
    b.shape = {4};
  }
  p.buffers[0].kind = Buffer::Kind::state;
  return p;
}

Step& add(Program& p, std::vector<BufferId> reads, BufferId writes) {
  Step s;
  s.kernel = "map";
  for (BufferId id : reads) s.args.push_back({BufferArg{id, false}});
  s.args.push_back({BufferArg{writes, true}});
  p.steps.push_back(std::move(s));
  return p.steps.back();
}

// Whether the update at the end of the steps is removed.
bool is_in_place(Program p) {
  add(p, {1}, 0).is_update = true;
  const std::size_t steps = p.steps.size();
  update_in_place(p);
  CHECK((p.steps.size() < steps) == (p.at(1).view_of == 0));
  return p.steps.size() < steps;
}

TEST_CASE("a new value takes the place of the old one after its last reader") {
  Program p = program();
  add(p, {0}, 2);
  add(p, {2}, 1);
  CHECK(is_in_place(p));
  add(p, {0}, 2);
  CHECK_FALSE(is_in_place(p));
}

TEST_CASE("a step that reads the old value must be able to work in place") {
  Program p = program();
  add(p, {0}, 1);
  CHECK_FALSE(is_in_place(p));
  p.steps[0].may_share = {{0, 1}};
  CHECK(is_in_place(p));
}

TEST_CASE("an update in a branch stays separate: the other branch may read the old value") {
  Program p = program();
  p.buffers.resize(4);
  Step open;
  open.kind = Step::Kind::open_if;
  open.condition = 3;
  p.steps.push_back(open);
  add(p, {2}, 1);
  Step other;
  other.kind = Step::Kind::open_else;
  p.steps.push_back(other);
  add(p, {0}, 1);
  Step close;
  close.kind = Step::Kind::close;
  p.steps.push_back(close);
  CHECK_FALSE(is_in_place(p));
}

}  // namespace
}  // namespace onnxc

// remove_dead_steps: which steps of a program stay.
#include "compiler/schedule/schedule.hpp"

#include <catch2/catch.hpp>

namespace onnxc {
namespace {

// Output 0, and arena buffers.
Program program(int buffers) {
  Program p;
  p.buffers.resize(static_cast<std::size_t>(buffers));
  p.buffers[0].kind = Buffer::Kind::output;
  p.outputs = {0};
  return p;
}

Step& add_step(Program& p, const std::string& name, const std::vector<BufferId>& reads,
               BufferId writes) {
  Step s;
  s.name = name;
  s.kernel = "map";
  for (BufferId id : reads) s.args.push_back({BufferArg{id, false}});
  s.args.push_back({BufferArg{writes, true}});
  p.steps.push_back(std::move(s));
  return p.steps.back();
}

std::vector<std::string> left(Program p) {
  remove_dead_steps(p);
  std::vector<std::string> names;
  for (const Step& s : p.steps) names.push_back(s.name);
  return names;
}

using Names = std::vector<std::string>;

TEST_CASE("steps whose results only dead steps read are removed") {
  Program p = program(4);
  add_step(p, "a", {}, 1);
  add_step(p, "b", {1}, 2);
  add_step(p, "c", {2}, 3);
  add_step(p, "y", {1}, 0);
  CHECK(left(p) == Names{"a", "y"});
}

TEST_CASE("steps that may fail or report sizes stay, with what they read") {
  Program p = program(4);
  add_step(p, "a", {}, 1);
  add_step(p, "b", {1}, 2).kernel = "gather";  // checks its indices
  add_step(p, "c", {}, 3).args.push_back({ExtentsArg{{Dim::symbol("N")}}});
  CHECK(left(p) == Names{"a", "b", "c"});
}

TEST_CASE("what writes a part of a live buffer, or is read in the next iteration, stays") {
  Program p = program(4);
  p.buffers[2].view_of = 1;
  add_step(p, "part", {}, 2);
  Step loop;
  loop.name = "loop";
  loop.kind = Step::Kind::open_loop;
  p.steps.push_back(loop);
  add_step(p, "y", {1, 3}, 0);
  add_step(p, "next", {}, 3);
  Step end;
  end.name = "end";
  end.kind = Step::Kind::close;
  p.steps.push_back(end);
  CHECK(left(p) == Names{"part", "loop", "y", "next", "end"});
}

}  // namespace
}  // namespace onnxc

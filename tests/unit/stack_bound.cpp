// The deepest path through a call graph.
#include "compiler/run/measure.hpp"

#include <catch2/catch.hpp>

namespace onnxc {
namespace {

std::string node(const std::string& name, int frame, const char* kind = "static") {
  return "node: { title: \"" + name + "\" label: \"f()\\nm.cpp:1:2\\n" + std::to_string(frame) +
         " bytes (" + kind + ")\" }\n";
}
std::string edge(const std::string& from, const std::string& to) {
  return "edge: { sourcename: \"" + from + "\" targetname: \"" + to + "\" label: \"m.cpp:1:2\" }\n";
}
const std::string kPointer = "node: { title: \"__indirect_call\" label: \"Indirect\" }\n";

}  // namespace

TEST_CASE("the deepest path counts", "[stack]") {
  const std::string graph = node("m_run", 40) + node("m.cpp:a", 100) + node("m.cpp:b", 20) +
                            node("m.cpp:c", 60) + edge("m_run", "m.cpp:a") +
                            edge("m_run", "m.cpp:b") + edge("m.cpp:b", "m.cpp:c");
  CHECK(stack_bound(graph, "m_run") == 140);
  CHECK(stack_bound(graph + edge("m.cpp:c", "memcpy"), "m_run") == 40 + 20 + 60 + 128);
  CHECK_FALSE(stack_bound(graph, "other_run"));
  CHECK_FALSE(stack_bound("no graph", "m_run"));
}

TEST_CASE("recursion and frames without a limit have no bound", "[stack]") {
  const std::string graph = node("m_run", 40) + node("m.cpp:a", 100) + edge("m_run", "m.cpp:a");
  CHECK_FALSE(stack_bound(graph + edge("m.cpp:a", "m.cpp:a"), "m_run"));
  CHECK_FALSE(
      stack_bound(graph + node("m.cpp:b", 8, "dynamic") + edge("m.cpp:a", "m.cpp:b"), "m_run"));
  CHECK(stack_bound(graph + node("m.cpp:b", 8, "dynamic,bounded") + edge("m.cpp:a", "m.cpp:b"),
                    "m_run") == 148);
}

TEST_CASE("a call through a pointer is as deep as what it may reach", "[stack]") {
  const std::string graph = kPointer + node("m_run", 40) + node("m.cpp:driver", 10) +
                            node("m.cpp:tile", 200) + node("m.cpp:both", 90) +
                            edge("m_run", "m.cpp:driver") + edge("m_run", "m.cpp:both") +
                            edge("m.cpp:driver", "__indirect_call");
  CHECK(stack_bound(graph, "m_run") == 250);
  // A target that calls through a pointer itself, once.
  CHECK(stack_bound(graph + node("m.cpp:outer", 30) + edge("m.cpp:outer", "__indirect_call"),
                    "m_run") == 40 + 10 + 30 + 200);
}

}  // namespace onnxc

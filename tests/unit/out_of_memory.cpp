// What changes of graphs do without memory.
#include <cstdlib>
#include <new>
#include <stdexcept>

#include <catch2/catch.hpp>

#include "compiler/ir/editor.hpp"
#include "compiler/ir/op.hpp"

using namespace onnxc;

namespace {
thread_local bool no_memory = false;
}

// For the whole program; it fails only while `no_memory` is set.
void* operator new(std::size_t size) {
  void* const p = no_memory ? nullptr : std::malloc(size > 0 ? size : 1);
  return p ? p : throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }

TEST_CASE("an editor without memory for its nodes throws and leaves the graph", "[ir]") {
  Graph graph;
  Value *x = graph.add_value("x"), *y = graph.add_value("y");
  Node* const node = graph.add_node(&ops::get("Neg"), {x}, {y});
  bool caught = false;
  try {
    GraphEditor editor(graph);
    editor.before(*node);
    editor.emit("Abs", {x}, Type::tensor(ElemType::float32));
    no_memory = true;
  } catch (const std::bad_alloc&) {
    caught = true;
  }
  no_memory = false;
  CHECK(caught);
  REQUIRE(graph.nodes.size() == 1);
  CHECK(graph.nodes[0].get() == node);
  CHECK(x->users().size() == 1);
}

TEST_CASE("an editor without memory lets the exception pass that ended it", "[ir]") {
  Graph graph;
  Value *x = graph.add_value("x"), *y = graph.add_value("y");
  Node* const node = graph.add_node(&ops::get("Neg"), {x}, {y});
  const std::runtime_error error("of a pass");
  bool caught = false;
  try {
    GraphEditor editor(graph);
    editor.after(*node);
    editor.emit("Abs", {x}, Type::tensor(ElemType::float32));
    no_memory = true;
    throw error;
  } catch (const std::runtime_error&) {
    caught = true;
  }
  no_memory = false;
  CHECK(caught);
  CHECK(graph.nodes.size() == 1);
}

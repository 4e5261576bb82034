// Rewriting a graph: how passes insert, replace and erase nodes.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/ir/graph.hpp"

namespace onnxc {

// A node of a graph yet to be chosen that stands for `like`, or part of it: has its name, operator
// type and domain as the model wrote them, index, version and sources.
std::unique_ptr<Node> node_like(const Node& like, const ops::Op& op,
                                const std::vector<Value*>& inputs, std::vector<Value*> outputs,
                                Attributes attributes = {});

// The node that alone reads the value, once; null if there are others, or none, or it is an output
// of a graph.
Node* only_user(const Value& v);

// The node that makes the value for one reader alone; null for constants, inputs of a graph, and
// what others read, too.
Node* producer_for_one(const Value& v);

// Changes one graph; bodies inside it are graphs of their own, but their uses of its values count.
//
// Uses and producers are right at every moment. `Graph::nodes` changes in commit(), once for all
// insertions and erasures, in time linear in the number of nodes: until then pointers to nodes stay
// valid, those of erased nodes, too.
//
//   GraphEditor editor(graph);
//   editor.each([&](Node& node) {
//     if (node.op != kSquare) return;
//     editor.emit_as(node.outputs[0], "Mul", {node.inputs[0], node.inputs[0]});
//     editor.erase(node);
//   });
class GraphEditor {
 public:
  explicit GraphEditor(Graph& graph) : graph_(graph) {}
  GraphEditor(const GraphEditor&) = delete;
  ~GraphEditor() { commit(); }

  Graph& graph() const { return graph_; }

  // ---- where -----------------------------------------------------------------------------------

  // Calls visit(Node&) for every node that the graph has now and that is not erased by then, in
  // order. During a visit new nodes come before the visited one and stand for it, unless it says
  // otherwise; they are not visited. Commits in the end.
  template <class F>
  void each(F visit) {
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      Node& node = *graph_.nodes[i];
      if (erased_.count(&node)) continue;
      before(node);
      visit(node);
    }
    commit();
  }
  // New nodes come right before, or after, this one, in the order in which they are made, and stand
  // for it. An editor that was told neither appends to the graph.
  void before(Node& node);
  void after(Node& node);
  void stand_for(const Node& node) { like_ = &node; }

  // ---- new nodes and values --------------------------------------------------------------------

  // An operator of ai.onnx by its name, or any; gives the one result, of this type.
  Value* emit(const char* op, const std::vector<Value*>& inputs, Type type,
              Attributes attributes = {});
  Value* emit(const ops::Op& op, const std::vector<Value*>& inputs, Type type,
              Attributes attributes = {});
  // The same for a value that is there: the new node becomes its producer.
  Node& emit_as(Value* result, const char* op, const std::vector<Value*>& inputs,
                Attributes attributes = {});
  Node& emit_as(Value* result, const ops::Op& op, const std::vector<Value*>& inputs,
                Attributes attributes = {});
  Node& emit_as(std::vector<Value*> results, const ops::Op& op, const std::vector<Value*>& inputs,
                Attributes attributes = {});
  // Named after `stem`, or the result of the node which new ones stand for.
  Value* value(Type type, const std::string& stem = "");
  Value* constant(Tensor tensor, const std::string& stem = "");

  // ---- changes ---------------------------------------------------------------------------------

  // The node makes `result` from now on instead of what output `i` was.
  void set_output(Node& node, std::size_t i, Value* result);
  // Every reader of `from` reads `to`, graph outputs included.
  void replace(Value* from, Value* to) { replace_uses(from, to); }
  // The node, and those of this graph that made values for it and for nobody else. Attributes and
  // inputs are gone at once, and results that still have readers have no producer.
  void erase(Node& node);

  // Brings `Graph::nodes` up to date.
  void commit();

 private:
  using Nodes = std::vector<std::unique_ptr<Node>>;

  Node& insert(std::unique_ptr<Node> node);
  std::string name_for(const std::string& stem) const;
  bool is_dead(const Node& node) const;
  void place(std::unique_ptr<Node> node, Nodes& nodes);

  Graph& graph_;
  const Node* like_ = nullptr;
  const Node* anchor_ = nullptr;  // null: the end of the graph
  bool behind_ = false;           // the anchor, not before it
  // Nodes that wait for commit(), by the node they are put next to.
  std::unordered_map<const Node*, Nodes> before_, after_;
  std::unordered_set<const Node*> erased_;
};

}  // namespace onnxc

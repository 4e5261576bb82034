// Rewriting a graph: how passes insert, replace and erase nodes.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/ir/graph.hpp"

namespace onnxc {

// A node, not yet in a graph, with the provenance of `like` or a part of it. It copies the name,
// the operator type and domain as the model wrote them, index, version and sources.
std::unique_ptr<Node> node_like(const Node& like, const ops::Op& op,
                                const std::vector<Value*>& inputs, std::vector<Value*> outputs,
                                Attributes attributes = {});

// The single node that reads the value, once; null if there are other readers, or none, or the
// value is a graph output.
Node* only_user(const Value& v);
// The same of the result of a node, if the reader is in the graph of that node: a body may run more
// than once. With an operator: if the reader has it.
Node* only_reader(const Value* v);
Node* only_reader(const Value* v, const char* op);

// The producer of a value with a single reader; null for constants, graph inputs, and values with
// other readers.
Node* producer_for_one(const Value& v);

// Changes one graph. Bodies inside it are graphs of their own, but their uses of its values count.
//
// Uses and producers are right at every moment. `Graph::nodes` changes in commit(), once for all
// insertions and removals, in time linear in the number of nodes. Until then pointers to nodes stay
// valid, also those to erased nodes.
//
//   GraphEditor editor(graph);
//   editor.each([&](Node& node) {
//     if (node.op != kSquare) return;
//     editor.emit_as(node.outputs[0], "Mul", {node.inputs[0], node.inputs[0]});
//     editor.erase(node);
//   });
class GraphEditor {
 public:
  using Nodes = std::vector<std::unique_ptr<Node>>;

  explicit GraphEditor(Graph& graph) : graph_(graph) {}
  // New nodes go to the end of this list, not yet into the graph.
  GraphEditor(Graph& graph, Nodes& list) : graph_(graph), list_(&list) {}
  GraphEditor(const GraphEditor&) = delete;
  // Commits. Throws what commit() throws, unless another exception is on its way.
  ~GraphEditor() noexcept(false);

  Graph& graph() const { return graph_; }

  // ---- position --------------------------------------------------------------------------------

  // Calls visit(Node&), in order, for every node that the graph has now and that is not erased
  // before its visit. During a visit new nodes go before the visited one and get its provenance,
  // unless the visitor sets another position; they are not visited. Commits at the end.
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
  // New nodes go right before, or after, this one, in the order of creation, and get its
  // provenance. Without a position the editor appends to the graph. A node without provenance is
  // the compiler's own.
  void before(Node& node);
  void after(Node& node);
  void set_provenance(const Node& node) { like_ = &node; }

  // ---- new nodes and values --------------------------------------------------------------------

  // Adds an operator of ai.onnx by its name, or any operator; returns its one result, of this type.
  Value* emit(const char* op, const std::vector<Value*>& inputs, Type type,
              Attributes attributes = {});
  Value* emit(const ops::Op& op, const std::vector<Value*>& inputs, Type type,
              Attributes attributes = {});
  // A tensor whose shape is yet to be inferred, named after `stem`; so is the node, if it has no
  // provenance.
  Value* emit(const char* op, const std::vector<Value*>& inputs, ElemType elem,
              const std::string& stem, Attributes attributes = {});
  // Several results, whose types are yet to be inferred.
  std::vector<Value*> emit_all(const ops::Op& op, const std::vector<Value*>& inputs,
                               std::size_t results, Attributes attributes,
                               const std::string& stem = "");
  // The same for an existing value: the new node becomes its producer.
  Node& emit_as(Value* result, const char* op, const std::vector<Value*>& inputs,
                Attributes attributes = {});
  Node& emit_as(Value* result, const ops::Op& op, const std::vector<Value*>& inputs,
                Attributes attributes = {});
  Node& emit_as(std::vector<Value*> results, const ops::Op& op, const std::vector<Value*>& inputs,
                Attributes attributes = {});
  // Takes over a node of another graph, all values of which are visible here.
  void adopt(std::unique_ptr<Node> node);
  // Named after `stem`, or after the result of the node whose provenance the new nodes have.
  Value* value(Type type, const std::string& stem = "");
  Value* constant(Tensor tensor, const std::string& stem = "");
  Value* ints(const std::vector<std::int64_t>& list, const std::string& stem = "") {
    return constant(Tensor::ints(list), stem);
  }

  // ---- changes ---------------------------------------------------------------------------------

  // From now on output `i` of the node is `result`.
  void set_output(Node& node, std::size_t i, Value* result);
  // Every reader of `from` reads `to`, graph outputs included.
  void replace(Value* from, Value* to) { replace_uses(from, to); }
  // Nodes, listed from the last to the first, become this one, which makes the result of `last`.
  void fuse(const std::vector<const Node*>& nodes, Node& last, const ops::Op& op,
            const std::vector<Value*>& inputs, Attributes attributes);
  // Erases the node, and the nodes of this graph whose results only it read. Attributes and inputs
  // are cleared at once; results that still have readers have no producer.
  void erase(Node& node);

  // The nodes next to which the next one goes, the new ones last.
  Nodes& siblings();

  // Brings `Graph::nodes` up to date. Without memory for that it throws, and changes nothing.
  void commit();

 private:
  Node& insert(std::unique_ptr<Node> node);
  std::string name_for(const std::string& stem) const;
  bool is_dead(const Node& node) const;
  void place(std::unique_ptr<Node> node, Nodes& nodes);

  Graph& graph_;
  const Node* like_ = nullptr;
  Nodes* list_ = nullptr;         // null: the graph
  const Node* anchor_ = nullptr;  // null: the end of the graph, or of the list
  bool insert_after_ = false;     // the anchor, not before it
  // Nodes that wait for commit(), by the node next to which they go.
  std::unordered_map<const Node*, Nodes> before_, after_;
  std::unordered_set<const Node*> erased_;
};

}  // namespace onnxc

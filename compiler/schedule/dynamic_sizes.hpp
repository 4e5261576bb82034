// The sizes that are known only at run time, while a graph is lowered: which symbols the inputs and
// the steps so far define, and the steps that compute expressions of them and check relations.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/ir/graph.hpp"
#include "compiler/ir/program.hpp"
#include "compiler/support/diagnostics.hpp"

namespace onnxc {

class DynamicSizes {
 public:
  // Defines what the shapes of the graph's inputs determine.
  DynamicSizes(const Graph& graph, Program& program);
  // Defines the number that says which draw of random numbers this is.
  void define_draw();

  bool is_defined(const Dim& d) const;
  // Whether the inputs alone determine the size.
  bool is_input_extent(const Dim& d) const;
  // Whether the inputs and the steps before this one determine all of these sizes.
  bool is_known_before(const Shape& shape, std::size_t step) const;
  // The relations of the innermost graph that can be checked now and could not be, or had other
  // values, before `fresh` were defined; if `fresh` is empty, all that can be checked.
  std::vector<Relation> checkable(const std::set<std::string>& fresh = {}) const;

  // After the steps from `first` on: defines what they determine, and adds steps that compute and
  // check what follows from it.
  void follow(std::size_t first);

  // At the start of a body. The dimensions of a loop's state change from one iteration to the next:
  // names of expressions of them are computed at the start of every iteration. `first`: the first
  // step of the node around the body.
  void enter(const Graph& body, std::size_t first);
  void leave() { scopes_.pop_back(); }

  // Every size in use must be defined by an input or a step, and before the first step that reads
  // a tensor of that size.
  void check_all(Diagnostics& diagnostics) const;

 private:
  // A symbol that is determined by input `input` along an axis, or by a step.
  void define(const std::string& name, int input = -1, std::size_t axis = 0);
  bool is_input_size(const std::string& name) const;
  void add_checks(const std::set<std::string>& fresh);
  std::optional<Dim> read_too_early() const;
  // Recomputes the names of long expressions in which one of `fresh` occurs.
  void set_definitions(std::set<std::string>& fresh);
  // The sizes that the steps from `first` on define.
  std::set<std::string> take_definitions(std::size_t first);
  std::size_t known_from(std::size_t first) const;
  // The same when a body begins: all except those inside another branch of the same If.
  std::set<std::string> known_before_body(std::size_t first) const;
  template <class F>
  void each_defined(const Step& step, F f) const;

  const Graph& graph_;
  Program& program_;
  std::set<std::string> defined_;
  std::vector<const Graph*> scopes_;  // innermost last
};

}  // namespace onnxc

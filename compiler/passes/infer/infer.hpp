// Inference, and the rewrites that it calls for.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <set>

#include "compiler/ir/editor.hpp"
#include "compiler/ir/graph.hpp"
#include "compiler/passes/autodiff/autodiff.hpp"
#include "compiler/passes/pass.hpp"

namespace onnxc::ops {
class Infer;
}

namespace onnxc::passes {

// Checks the node against its signature, gives its results types, and evaluates it if its inputs
// are constants. Throws OpError for an invalid node.
void infer_node(Node& node, Graph& graph, PassContext& context);

// The rank that a value must have for nodes of its own graph that read it: that of the `perm` of a
// Transpose, or one that is declared after element-wise nodes.
std::optional<std::size_t> needed_rank(const Value& v);

// Evaluates the node if its operator can be folded and all its inputs are constants: its outputs
// become constants too.
bool fold_node(Node& node);

// The value, as a constant without a producer if it can be evaluated now.
Value* folded(GraphEditor& editor, Value* v);

// Replaces the If at `at` in `graph.nodes` by the nodes of the taken branch. Returns false, and
// changes nothing, if the node is not an If, its condition is not constant, or depends on one of
// `substituted`: a Gradient evaluates it at other values of these.
bool inline_taken_branch(Graph& graph, std::size_t at, const ValueSet& substituted);

// For a Loop whose state has another rank after the first iteration than before, and keeps it from
// then on: moves the first iteration before the Loop, and both into an If that tests whether there
// is one. Returns true if the node at `at` in `graph.nodes` was replaced; other nodes are
// unchanged.
// infer: infers a graph, false on errors, which it does not report.
bool peel_loop(Graph& graph, std::size_t at, const std::function<bool(Graph&)>& infer);

// For an If whose branches return tensors of different ranks; `at` is its position in
// `graph.nodes`. If inference of the dependent nodes succeeds for both ranks, they move into both
// branches, and the If moves after the other nodes. Returns true if another node is now at this
// position. If it succeeds for one branch only, the result gets its rank, and taking the other
// branch is an error at run time. Nothing changes for any other node, or if the copies would grow
// beyond a limit. moved: the Ifs that moved after others before. Two whose dependent nodes meet
// would do that forever, so the second move takes all nodes along. infer: infers a graph, false on
// errors, which it does not report.
bool resolve_branch_ranks(Graph& graph, std::size_t at, std::set<const Node*>& moved,
                          const std::function<bool(Graph&)>& infer);

// A slice up to 1024 of N elements that is added to N elements says that N is at most 1024: the
// call fails before any step otherwise. Learns such limits from the relations of the outermost
// graph from `first` on, and simplifies all values by them. Returns the number of relations.
std::size_t learn_limits(Graph& graph, std::size_t first);

// A size of results that --dim names: by a symbol of their declared shapes, unless it is one of an
// input, or as "result:axis". False if there is none. take_value_bounds() applies these bounds.
bool bound_values(Graph& graph, const std::string& name, const DimRange& range);

// The bounds of --dim for the results of a node that has just been inferred.
void take_value_bounds(ops::Infer& n);

}  // namespace onnxc::passes

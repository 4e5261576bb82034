// infer_shapes: gives every value its type and shape, and evaluates constants. Requires: an
// imported, upgraded graph in topological order. Produces: types; constants for nodes with constant
// inputs. Leaves alone: the list of nodes (folded ones become dead), except for an If with a
// constant condition or with branches of different ranks, and for a Loop that changes a rank.
#include "compiler/passes/infer/infer.hpp"

#include <algorithm>
#include <set>

#include "compiler/passes/pass.hpp"
#include "compiler/support/checked.hpp"

namespace onnxc::passes {

namespace {

// The results of nodes that have an error, that import could not read, or that need such results:
// nothing is known of these, and what is wrong has been said.
class FailedValues {
 public:
  // lost: whether nodes may be missing.
  explicit FailedValues(bool lost) : lost_(lost) {}

  void add(const Node& node) {
    for (const Value* v : node.outputs)
      if (v) values_.insert(v);
  }
  // Whether a node reads one; then its results fail too, without an error of their own.
  bool reach(const Node& node) {
    if (values_.empty() && !lost_) return false;
    const auto operands = operands_of(node);
    const bool reached = std::any_of(operands.begin(), operands.end(), [&](const Value* v) {
      return values_.count(v) != 0 || (lost_ && is_lost(v));
    });
    if (reached) add(node);
    return reached;
  }

 private:
  // Without the node that made it.
  static bool is_lost(const Value* v) {
    return !v->producer && !v->constant && v->type.kind == Type::Kind::unknown;
  }

  bool lost_;
  std::set<const Value*> values_;
};

}  // namespace

void infer_shapes(Graph& graph, PassContext& context) {
  FailedValues failed(context.diagnostics.has_errors());
  std::size_t learned = 0;
  std::set<const Node*> moved;
  const ValueSet substituted = graph.parent ? ValueSet{} : substituted_values(graph);
  // By index: an operator may append values, but not nodes; only an If may be replaced by others.
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    Node* const node = graph.nodes[i].get();
    const auto report = [&](const std::string& id, const std::string& field, const char* what) {
      context.diagnostics.error(id, describe(*node) + (field.empty() ? "" : ", " + field), what);
      failed.add(*node);
    };
    if (failed.reach(*node)) continue;
    try {
      // A body may be inferred again for other dimensions, so its values are not final yet.
      if (!graph.parent && inline_taken_branch(graph, i, substituted)) {
        --i;
        continue;
      }
      infer_node(*node, graph, context);
      // The relations of a body hold only where it runs.
      if (!graph.parent) learned = learn_limits(graph, learned);
      const auto fits = [&](Graph& trial) {
        Diagnostics unheard;
        PassContext inner{context.options, context.target, unheard};
        infer_shapes(trial, inner);
        return !unheard.has_errors();
      };
      if (resolve_branch_ranks(graph, i, moved, fits) || peel_loop(graph, i, fits)) --i;
    } catch (const OpError& e) {
      report(e.id, e.field, e.what());
    } catch (const SymbolicExtent& e) {
      report("dynamic-dim", "", e.what());
    } catch (const OverflowError& e) {
      report("overflow", "", e.what());
    }
  }
}

}  // namespace onnxc::passes

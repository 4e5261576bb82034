// lists_to_members: readers of sequences of a known length, at known positions, read the members.
// Requires: types. Produces: types again; Split, Squeeze, Identity, Unsqueeze and Concat in place
// of SplitToSequence, SequenceAt and ConcatFromSequence, and constants for SequenceLength. Leaves
// alone: sequences that are inputs, or results of If, Loop, Scan and SequenceMap; positions
// outside, and members that do not go together, which are errors at run time.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "compiler/ir/editor.hpp"
#include "compiler/ops/control_flow/body.hpp"
#include "compiler/passes/infer/infer.hpp"
#include "compiler/passes/pass.hpp"

namespace onnxc::passes {
namespace {

constexpr std::int64_t kMaxMembers = 1024;  // of a list: each is a value, and may be a step

using Members = std::vector<Value*>;

bool is_sequence(const Value* v) { return v && v->type.kind == Type::Kind::sequence; }

bool touches_sequence(const Node& node) {
  return (!node.inputs.empty() && is_sequence(node.inputs[0])) ||
         (!node.outputs.empty() && is_sequence(node.outputs[0]));
}

bool takes(const char* op, ElemType elem) {
  return contains(ops::signature(ops::get(op)).input(0)->mask, elem);
}

Value* operand(const Node& node, std::size_t i) {
  return i < node.inputs.size() ? node.inputs[i] : nullptr;
}

// The index of a position among `count` places; negative ones count back from `end`.
std::optional<std::int64_t> place(std::int64_t position, std::int64_t end, std::int64_t count) {
  const std::int64_t at = position < 0 ? position + end : position;
  return at >= 0 && at < count ? std::optional(at) : std::nullopt;
}

// Whether a Concat, or stacking, takes these tensors whatever their open sizes are.
bool go_together(const Members& members, std::optional<std::size_t> joined) {
  const Type& first = members[0]->type;
  return std::all_of(members.begin(), members.end(), [&](const Value* v) {
    if (!v->type.is_tensor() || !v->type.shape || v->type.elem != first.elem) return false;
    if (v->type.rank() != first.rank()) return false;
    for (std::size_t k = 0; k < first.rank(); ++k) {
      const Dim &a = (*first.shape)[k], &b = (*v->type.shape)[k];
      if (k != joined && a.is_const() && b.is_const() && !(a == b)) return false;
    }
    return true;
  });
}

class Lists {
 public:
  Lists(const Graph& root, PassContext& context)
      : context_(context), substituted_(substituted_values(root)) {}

  // Returns true if a reader of a list was replaced.
  bool run(Graph& graph) {
    GraphEditor editor(graph);
    bool changed = false;
    editor.each([&](Node& node) {
      each_subgraph(node, [&](Graph& body) { changed |= run(body); });
      if (node.devices || !touches_sequence(node) || !node.outputs[0]) return;
      if (is_sequence(node.outputs[0]) && substituted_.count(node.outputs[0]) == 0) {
        if (auto members = members_of(editor, node))
          if (std::ssize(*members) <= kMaxMembers)
            known_.emplace(node.outputs[0], std::move(*members));
      } else if (const Members* const members = known(operand(node, 0))) {
        changed |= replace(editor, node, *members);
      }
    });
    drop_unread_parts(editor);
    return changed;
  }

 private:
  const Members* known(const Value* v) const {
    const auto found = known_.find(v);
    return found == known_.end() ? nullptr : &found->second;
  }

  // The contents of integers that no Gradient gives other values.
  const Tensor* fixed_integers(Value* v) const {
    if (!v || !v->constant || depends_on(v, substituted_)) return nullptr;
    return &*v->constant;
  }

  std::optional<std::int64_t> number(Value* v) const {
    const Tensor* const t = fixed_integers(v);
    return t && t->size() == 1 ? std::optional(t->to_int64s()[0]) : std::nullopt;
  }

  std::optional<Members> members_of(GraphEditor& editor, const Node& node) {
    if (is_a(&node, "SequenceEmpty")) return Members{};
    if (is_a(&node, "SequenceConstruct")) return Members(node.inputs.begin(), node.inputs.end());
    if (is_a(&node, "SplitToSequence")) return parts(editor, node);
    const Members* const from = node.inputs.empty() ? nullptr : known(node.inputs[0]);
    if (!from) return std::nullopt;
    if (is_a(&node, "Identity")) return *from;
    if (is_a(&node, "SequenceInsert")) return with(*from, node.inputs[1], operand(node, 2));
    if (is_a(&node, "SequenceErase")) return without(*from, operand(node, 1));
    return std::nullopt;
  }

  std::optional<Members> with(Members members, Value* added, Value* position) const {
    const std::int64_t size = std::ssize(members);
    const auto given = position ? number(position) : size;
    const auto at = given ? place(*given, size, size + 1) : std::nullopt;
    if (!at) return std::nullopt;
    members.insert(members.begin() + *at, added);
    return members;
  }

  std::optional<Members> without(Members members, Value* position) const {
    const std::int64_t size = std::ssize(members);
    const auto given = position ? number(position) : -1;
    const auto at = given ? place(*given, size, size) : std::nullopt;
    if (!at) return std::nullopt;
    members.erase(members.begin() + *at);
    return members;
  }

  // The lengths that are known when compiling.
  std::optional<std::vector<std::int64_t>> lengths(Value* split, const Dim& extent) const {
    std::vector<std::int64_t> given;
    if (const Tensor* const t = split ? fixed_integers(split) : nullptr)
      given = t->to_int64s();
    else if (split)
      return std::nullopt;
    if (!split || split->constant->dims().empty()) {
      const std::int64_t chunk = split ? given[0] : 1;
      if (!extent.is_const() || chunk <= 0) return std::nullopt;
      if ((extent.value() - 1) / chunk >= kMaxMembers) return std::nullopt;
      given.clear();
      for (std::int64_t left = extent.value(); left > 0; left -= chunk)
        given.push_back(std::min(left, chunk));
      return given;
    }
    std::int64_t sum = 0;
    for (const std::int64_t n : given) {
      if (n < 0 || n > INT64_MAX - sum) return std::nullopt;
      sum += n;
    }
    if (extent.is_const() ? !extent.is(sum) : given.empty()) return std::nullopt;
    return given;
  }

  // The input of a Split, and the number of its results.
  std::optional<std::pair<Value*, std::size_t>> division(GraphEditor& editor, Value* split,
                                                         const Dim& extent) const {
    if (const auto known = lengths(split, extent))
      return std::pair(known->empty() ? nullptr : editor.constant(Tensor::ints(*known)),
                       known->size());
    if (!split || split->constant) return std::nullopt;
    const Type& type = split->type;
    if (!type.shape || type.rank() != 1 || !(*type.shape)[0].is_const()) return std::nullopt;
    const std::int64_t count = (*type.shape)[0].value();
    if (count == 0 || count > kMaxMembers) return std::nullopt;
    constexpr auto kInt64 = static_cast<std::int64_t>(ElemType::int64);
    if (type.elem != ElemType::int64)
      split =
          editor.emit("Cast", {split}, Type::tensor(ElemType::int64, type.shape), {{"to", kInt64}});
    return std::pair(split, static_cast<std::size_t>(count));
  }

  std::optional<Members> parts(GraphEditor& editor, const Node& node) {
    const Type& x = node.inputs[0]->type;
    if (!x.is_tensor() || !x.shape || !takes("Split", x.elem)) return std::nullopt;
    for (Value* v : node.inputs)
      if (v && depends_on(v, substituted_)) return std::nullopt;
    const ops::NodeView view(node);
    const std::size_t axis = view.axis(view.attr_int("axis"), x.rank());
    const auto division = this->division(editor, operand(node, 1), (*x.shape)[axis]);
    if (!division) return std::nullopt;
    Members members;
    for (std::size_t i = 0; i < division->second; ++i) members.push_back(editor.value({}));
    if (members.empty()) return members;
    const auto number = static_cast<std::int64_t>(axis);
    infer(editor, editor.emit_as(members, ops::get("Split"), {node.inputs[0], division->first},
                                 {{"axis", number}}));
    if (operand(node, 1) || view.attr_int("keepdims") != 0) return members;
    Value* const axes = editor.constant(Tensor::ints(std::vector{number}));
    for (Value*& member : members) {
      Value* const narrow = editor.value({});
      infer(editor, editor.emit_as(narrow, "Squeeze", {member, axes}));
      member = narrow;
    }
    return members;
  }

  // Types for what is decided in the same pass.
  void infer(GraphEditor& editor, Node& node) {
    made_.insert(&node);
    infer_node(node, editor.graph(), context_);
  }

  bool replace(GraphEditor& editor, Node& node, const Members& members) {
    Value* const y = node.outputs[0];
    if (is_a(&node, "SequenceLength")) {
      const auto length = static_cast<std::int64_t>(members.size());
      editor.emit_as(y, "Identity", {editor.constant(Tensor::scalar(length))});
    } else if (is_a(&node, "SequenceAt")) {
      const std::int64_t size = std::ssize(members);
      const auto position = number(node.inputs[1]);
      const auto at = position ? place(*position, size, size) : std::nullopt;
      if (!at) return false;
      editor.emit_as(y, "Identity", {members[static_cast<std::size_t>(*at)]});
    } else if (!is_a(&node, "ConcatFromSequence") || !join(editor, node, members)) {
      return false;
    }
    editor.erase(node);
    return true;
  }

  static bool join(GraphEditor& editor, const Node& node, Members members) {
    const ops::NodeView view(node);
    const bool stack = view.attr_int("new_axis") != 0;
    if (members.empty() || !members[0]->type.is_tensor() || !members[0]->type.shape) return false;
    const std::size_t rank = members[0]->type.rank() + (stack ? 1 : 0);
    const std::size_t axis = view.axis(view.attr_int("axis"), rank);
    if (!go_together(members, stack ? std::nullopt : std::optional(axis))) return false;
    if (!takes("Concat", members[0]->type.elem)) return false;
    const auto number = static_cast<std::int64_t>(axis);
    if (stack) {
      Value* const axes = editor.constant(Tensor::ints(std::vector{number}));
      for (Value*& member : members) member = editor.emit("Unsqueeze", {member, axes}, {});
    }
    editor.emit_as(node.outputs[0], "Concat", members, {{"axis", number}});
    return true;
  }

  // Where a list has only readers that stay, or none.
  void drop_unread_parts(GraphEditor& editor) const {
    auto& nodes = editor.graph().nodes;
    for (std::size_t i = nodes.size(); i-- > 0;)
      if (made_.count(nodes[i].get()) > 0 &&
          std::all_of(nodes[i]->outputs.begin(), nodes[i]->outputs.end(),
                      [](const Value* v) { return v->users().empty(); }))
        editor.erase(*nodes[i]);
    editor.commit();
  }

  PassContext& context_;
  const ValueSet substituted_;
  std::unordered_map<const Value*, Members> known_;
  std::unordered_set<const Node*> made_;
};

}  // namespace

// Types that become known may make the length of another list known.
void lists_to_members(Graph& graph, PassContext& context) {
  if (graph.parent) return;
  while (!context.diagnostics.has_errors() && Lists(graph, context).run(graph)) {
    ops::clear_inferred(graph);
    infer_shapes(graph, context);
  }
}

}  // namespace onnxc::passes

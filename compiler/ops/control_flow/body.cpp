// Types of loop-carried state, and copies of state and slices.
#include "compiler/ops/control_flow/body.hpp"

#include <algorithm>
#include <set>

#include "compiler/ops/sequence/container.hpp"
#include "templates/movement/movement_calls.hpp"

namespace onnxc::ops {

void forget(Graph& graph) {
  for (auto& node : graph.nodes) {
    for (Value* v : node->outputs) {
      if (!v) continue;
      v->constant.reset();
      v->quantized.reset();
      v->extent.reset();
      v->partial_extent.clear();
      v->before_rounding.reset();
      v->type = {};
    }
    each_subgraph(*node, forget);
  }
}

namespace {

// Widens the type `known` so that `next` has it, too; true if that changed it. `variable` holds the
// dimensions already found to change.
bool widen(Infer& n, Type& known, const Type& next, const std::string& field,
           std::set<std::string>& variable) {
  if (next.kind == Type::Kind::unknown || next.vacant) return false;
  if (known.vacant) {
    known = next;
    return true;
  }
  if (known.kind == Type::Kind::optional && next.kind == known.element->kind) {
    Type element = *known.element;
    const bool changed = widen(n, element, next, field, variable);
    if (changed) known = Type::optional(std::move(element));
    return changed;
  }
  n.require(known.kind == next.kind && known.elem == next.elem, field,
            "is {}, the body makes it {}", known.to_string(), next.to_string());
  if (known.element && next.element) {
    Type element = *known.element;
    const bool changed = widen(n, element, *next.element, field, variable);
    if (changed) known.element = std::make_shared<const Type>(std::move(element));
    return changed;
  }
  if (!known.shape) return false;
  if (!next.shape || next.rank() != known.rank()) {
    known.shape.reset();
    return true;
  }
  bool changed = false;
  for (std::size_t k = 0; k < known.rank(); ++k) {
    Dim& d = (*known.shape)[k];
    const auto name = d.as_symbol();
    if (d == (*next.shape)[k] || (name && variable.count(*name))) continue;
    d = n.unknown_extent();
    variable.insert(*d.as_symbol());
    changed = true;
  }
  return changed;
}

}  // namespace

std::set<std::string> infer_loop_body(Infer& n, Graph& body, std::size_t first_input,
                                      std::size_t first_output, std::vector<Type>& state) {
  // Every iteration makes a dimension variable or drops a rank, so this terminates.
  std::set<std::string> variable;
  for (bool changed = true; changed;) {
    for (std::size_t i = 0; i < state.size(); ++i) body.inputs[first_input + i]->type = state[i];
    body.relations.clear();
    n.infer_body(body);
    changed = false;
    for (std::size_t i = 0; i < state.size(); ++i)
      changed = widen(n, state[i], body.outputs[first_output + i]->type,
                      fmt::format("state variable {}", i), variable) ||
                changed;
    if (changed) forget(body);
  }
  return variable;
}

Shape slice_shape(Infer& n, const Shape& element, const std::set<std::string>& variable) {
  std::set<std::string> changing = variable;
  const auto changes = [&](const Dim& d) {
    std::vector<std::string> names;
    d.collect_symbols(names);
    return std::any_of(names.begin(), names.end(),
                       [&](const std::string& name) { return changing.count(name) > 0; });
  };
  for (const auto& [name, definition] : n.graph().root().definitions)
    if (changes(definition)) changing.insert(name);
  Shape shape = element;
  for (Dim& d : shape)
    if (changes(d)) d = n.unknown_extent();
  return shape;
}

namespace {

SliceOfAxisShape<Dim> slice_of_axis(std::size_t axis, const Shape& whole, bool reverse) {
  return {product(whole, 0, axis), whole[axis], product(whole, axis + 1, whole.size()), reverse};
}

}  // namespace

void take_slice(Lower& n, BufferId from, BufferId counter, BufferId slice, std::size_t axis,
                const Shape& whole, bool reverse) {
  n.call("take_slice", slice_of_axis(axis, whole, reverse)).read(from).read(counter).write(slice);
}

void put_slice(Lower& n, BufferId slice, BufferId counter, BufferId to, std::size_t axis,
               const Shape& whole, bool reverse) {
  n.call("put_slice", slice_of_axis(axis, whole, reverse)).read(slice).read(counter).write(to);
}

BufferId start_state(Lower& n, std::size_t i, BufferId first, const Value& inner) {
  const auto sees_its_sizes = [&] {
    const BufferId out = n.out(i);
    return n.is_object(out) || !inner.type.has_rank() ||
           n.program().at(out).shape == *inner.type.shape;
  };
  const bool own = n.has_output(i) && sees_its_sizes();
  const BufferId state = own ? n.out(i) : n.scratch_like(inner.type, "state");
  copy_joined(n, first, state);
  n.bind(inner, state);
  return state;
}

void finish_states(Lower& n, const std::vector<BufferId>& states) {
  for (std::size_t i = 0; i < states.size(); ++i)
    if (n.has_output(i) && states[i] != n.out(i)) copy_joined(n, states[i], n.out(i));
}

void copy_all(Lower& n, const std::vector<std::pair<BufferId, BufferId>>& moves) {
  Program& p = n.program();
  std::vector<BufferId> sources;
  for (const auto& [from, to] : moves) {
    bool overwritten = false;
    for (const auto& [other_from, other_to] : moves)
      overwritten = overwritten || (other_to != to && p.root(from).first == p.root(other_to).first);
    // The source may also be a view of its own target, which may move below.
    overwritten = overwritten || (from != to && p.root(from).first == to);
    if (overwritten) {
      Type type = p.at(from).type;
      if (!n.is_object(from)) type = Type::tensor(p.at(from).elem, p.at(from).shape);
      const BufferId saved = n.scratch_like(type, "saved");
      n.copy(from, saved);
      sources.push_back(saved);
    } else {
      sources.push_back(from);
    }
  }
  // Sizes first: they are expressions of the old sizes.
  std::vector<std::pair<Dim, Dim>> sizes;
  std::vector<BufferId> resized;
  for (std::size_t i = 0; i < moves.size(); ++i) {
    const BufferId to = moves[i].second;
    if (n.is_object(sources[i]) || n.is_object(to)) continue;
    const Shape source = p.at(sources[i]).shape, target = p.at(to).shape;
    bool changes = false;
    for (std::size_t k = 0; k < std::min(source.size(), target.size()); ++k)
      if (target[k].as_symbol() && !(source[k] == target[k])) {
        sizes.emplace_back(target[k], source[k]);
        changes = true;
      }
    if (changes) resized.push_back(to);
  }
  n.set_sizes(std::move(sizes));
  for (BufferId id : resized) n.allocate(id);
  for (std::size_t i = 0; i < moves.size(); ++i)
    if (sources[i] != moves[i].second) n.copy(sources[i], moves[i].second);
}

Tensor truth() {
  const std::uint8_t one = 1;
  return Tensor::of<std::uint8_t>(ElemType::boolean, {}, std::span(&one, 1));
}

}  // namespace onnxc::ops

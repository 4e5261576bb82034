// Types of loop-carried state, and copies of state and slices.
#include "compiler/ops/control_flow/body.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "compiler/kernels/movement_calls.hpp"
#include "compiler/ops/control_flow/scan_output.hpp"
#include "compiler/ops/sequence/container.hpp"

namespace onnxc::ops {

void clear_inferred(Graph& graph) {
  for (auto& node : graph.nodes) {
    for (Value* v : node->outputs) {
      if (!v) continue;
      v->constant.reset();
      v->quantized.reset();
      v->extent.reset();
      v->partial_extent.clear();
      v->before_rounding.reset();
      v->type = v->declared ? *v->declared : Type{};
    }
    each_subgraph(*node, clear_inferred);
  }
}

namespace {

// What is known about the dimensions that change.
struct Changes {
  std::set<std::string> variable;  // their symbols
  std::map<std::int64_t, Dim> by;  // the symbol of those that grow by as much each time
  std::set<std::pair<std::size_t, std::size_t>> shared;  // those that have had such a symbol

  bool grows(const Dim& d, const Dim& next) const {
    return std::any_of(by.begin(), by.end(), [&](const auto& entry) {
      return (d - entry.second).is_const() && (next - d).is(entry.first);
    });
  }
  // How much a dimension grows each time: beyond its last value, or along with others; 0 when that
  // is not known.
  std::int64_t growth(const Dim& from, const Dim& d, const Dim& next) const {
    if ((next - d).is_const()) return (next - d).value();
    for (const auto& [amount, symbol] : by)
      if ((next - from - symbol).is(amount)) return amount;
    return 0;
  }
  // In a way of its own.
  bool varies(const std::string& symbol) const {
    const auto is_it = [&](const auto& entry) { return entry.second.as_symbol() == symbol; };
    return variable.count(symbol) > 0 && std::none_of(by.begin(), by.end(), is_it);
  }
};

// Widens the type `known` so that `next` has it, too; true if that changed it.
bool widen(Infer& n, Type& known, const Type& next, const std::string& field, Changes& changes) {
  if (next.kind == Type::Kind::unknown || next.vacant) return false;
  if (known.vacant) {
    known = next;
    return true;
  }
  if (known.kind == Type::Kind::optional && next.kind == known.element->kind) {
    Type element = *known.element;
    const bool changed = widen(n, element, next, field, changes);
    if (changed) known = Type::optional(std::move(element));
    return changed;
  }
  n.require(known.kind == next.kind && known.elem == next.elem, field,
            "is {}, the body makes it {}", known.to_string(), next.to_string());
  if (known.element && next.element) {
    Type element = *known.element;
    const bool changed = widen(n, element, *next.element, field, changes);
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
    if (d == (*next.shape)[k] || changes.grows(d, (*next.shape)[k])) continue;
    if (name && changes.varies(*name)) continue;
    d = n.unknown_extent();
    changes.variable.insert(*d.as_symbol());
    changed = true;
  }
  return changed;
}

// Dimensions that grow from a constant by the same amount in every iteration become a constant and
// a symbol, the same one for all that grow by as much: so they are known to fit together. True if
// that changed any.
bool share_growth(Infer& n, std::size_t i, const Type& first, Type& state, const Type& next,
                  const Dim& trips, Changes& changes) {
  if (!first.has_rank() || !state.has_rank() || !next.has_rank()) return false;
  bool changed = false;
  for (std::size_t k = 0; k < state.rank(); ++k) {
    Dim& d = (*state.shape)[k];
    const Dim& from = (*first.shape)[k];
    const auto name = d.as_symbol();
    if (!name || !changes.variable.count(*name) || !from.is_const()) continue;
    const std::int64_t growth = changes.growth(from, d, (*next.shape)[k]);
    if (growth <= 0 || !changes.shared.emplace(i, k).second) continue;
    const auto [symbol, is_new] = changes.by.try_emplace(growth);
    if (is_new) {
      const Dim most = trips * growth;
      symbol->second = n.unknown_extent(most);
      changes.variable.insert(*symbol->second.as_symbol());
      if (most.is_const()) n.graph().root().limits.push_back({symbol->second, most.value()});
    }
    d = from + symbol->second;
    changed = true;
  }
  return changed;
}

// Bounds of the other dimensions that change, always by the same amount, or to the same value.
void bound_changes(Infer& n, const Type& first, const Type& state, const Type& next,
                   const Dim& trips, const Changes& changes) {
  if (!first.has_rank() || !state.has_rank() || !next.has_rank()) return;
  for (std::size_t k = 0; k < state.rank(); ++k) {
    const Dim &from = (*first.shape)[k], &to = (*next.shape)[k];
    const auto name = (*state.shape)[k].as_symbol();
    if (!name || !changes.variable.count(*name) || changes.grows((*state.shape)[k], to)) continue;
    const Dim growth = to - (*state.shape)[k];
    std::optional<Dim>& most = n.graph().root().ranges[*name].at_most;
    if (growth.is_const())
      most = from + trips * std::max<std::int64_t>(growth.value(), 0);
    else if (to.is_const())
      most = Dim::max(from, to);
  }
}

}  // namespace

Type with_declared_rank(Infer& n, Type known, const Value& inner) {
  if (!inner.declared || !known.is_tensor() || known.shape || !inner.declared->shape) return known;
  if (!compatible(known, *inner.declared)) return known;
  known.shape = inner.declared->shape;
  for (Dim& d : *known.shape)
    if (!d.is_const()) d = n.unknown_extent();
  return known;
}

std::set<std::string> infer_loop_body(Infer& n, Graph& body, std::size_t first_input,
                                      std::size_t first_output, std::vector<Type>& state,
                                      const std::optional<Dim>& trips) {
  for (std::size_t i = 0; i < state.size(); ++i)
    state[i] = with_declared_rank(n, std::move(state[i]), *body.inputs[first_input + i]);
  const std::vector<Type> first = state;
  const auto next = [&](std::size_t i) -> const Type& {
    return body.outputs[first_output + i]->type;
  };
  // Every iteration makes a dimension variable, shares its growth or drops a rank, so this
  // terminates.
  Changes changes;
  for (bool changed = true; changed;) {
    for (std::size_t i = 0; i < state.size(); ++i) body.inputs[first_input + i]->type = state[i];
    body.relations.clear();
    n.infer_body(body);
    changed = false;
    for (std::size_t i = 0; i < state.size(); ++i)
      changed =
          widen(n, state[i], next(i), fmt::format("state variable {}", i), changes) || changed;
    for (std::size_t i = 0; trips && !changed && i < state.size(); ++i)
      changed = share_growth(n, i, first[i], state[i], next(i), *trips, changes);
    if (changed) clear_inferred(body);
  }
  for (std::size_t i = 0; trips && i < state.size(); ++i)
    bound_changes(n, first[i], state[i], next(i), *trips, changes);
  return changes.variable;
}

namespace {

void collect(const Type& type, std::vector<std::string>& symbols) {
  if (type.element) collect(*type.element, symbols);
  for (const Dim& d : type.shape ? *type.shape : Shape{}) d.collect_symbols(symbols);
}

void collect(const Value& v, std::vector<std::string>& symbols) {
  collect(v.type, symbols);
  for (const auto* contents : {&v.extent, &v.before_rounding})
    for (const Dim& d : *contents ? **contents : std::vector<Dim>{}) d.collect_symbols(symbols);
  for (const auto& d : v.partial_extent)
    if (d) d->collect_symbols(symbols);
}

// Symbols of the values that a graph takes from outside. made: the values that it makes itself.
void collect_taken(const Graph& graph, std::set<const Value*>& made,
                   std::vector<std::string>& symbols) {
  made.insert(graph.inputs.begin(), graph.inputs.end());
  for (const auto& node : graph.nodes) {
    for (const Value* v : node->inputs)
      if (v && made.count(v) == 0) collect(*v, symbols);
    each_subgraph(*node, [&](const Graph& inner) { collect_taken(inner, made, symbols); });
    made.insert(node->outputs.begin(), node->outputs.end());
  }
  for (const Value* v : graph.outputs)
    if (v && made.count(v) == 0) collect(*v, symbols);
}

// The symbols whose values are the same in every iteration.
std::set<std::string> steady_symbols(const Infer& n, const Graph& body) {
  std::vector<std::string> symbols;
  for (std::size_t i = 0; i < n.input_count(); ++i)
    if (n.has_input(i)) collect(n.input_value(i), symbols);
  std::set<const Value*> made;
  collect_taken(body, made, symbols);
  return {symbols.begin(), symbols.end()};
}

}  // namespace

Shape slice_shape(Infer& n, const Shape& element, const Graph& body,
                  const std::set<std::string>& variable) {
  std::set<std::string> steady = steady_symbols(n, body);
  for (const std::string& name : variable) steady.erase(name);
  const Graph& root = n.graph().root();
  const auto changes = [&](const Dim& d, const auto& self) -> bool {
    std::vector<std::string> names;
    d.collect_symbols(names);
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      if (variable.count(name) > 0) return true;
      if (steady.count(name) > 0) return false;
      const auto definition = std::find_if(root.definitions.begin(), root.definitions.end(),
                                           [&](const auto& entry) { return entry.first == name; });
      return definition == root.definitions.end() || self(definition->second, self);
    });
  };
  // What bounds each slice bounds their common extent.
  const auto bound = [&](const Dim& d) -> std::optional<Dim> {
    const auto name = d.as_symbol();
    const auto range = name ? root.ranges.find(*name) : root.ranges.end();
    if (range == root.ranges.end() || !range->second.at_most) return std::nullopt;
    if (changes(*range->second.at_most, changes)) return std::nullopt;
    return range->second.at_most;
  };
  Shape shape = element;
  for (Dim& d : shape)
    if (changes(d, changes)) d = n.unknown_extent(bound(d));
  return shape;
}

Type tape_type(Infer& n, Type element, const Graph& body, const std::set<std::string>& variable) {
  if (element.is_tensor() && element.shape)
    element.shape = slice_shape(n, *element.shape, body, variable);
  return Type::sequence(std::move(element));
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

namespace {

// What the symbol of a dimension becomes when that becomes `value`: of a symbol, or of one that a
// constant is added to.
std::optional<std::pair<Dim, Dim>> assignment(const Dim& d, const Dim& value) {
  if (d == value) return std::nullopt;
  std::vector<std::string> symbols;
  d.collect_symbols(symbols);
  if (symbols.size() != 1) return std::nullopt;
  const Dim symbol = Dim::symbol(symbols.front()), start = d - symbol;
  if (!start.is_const()) return std::nullopt;
  return std::pair(symbol, value - start);
}

// What makes a shape equal to another one; nullopt if no sizes do.
std::optional<std::vector<std::pair<Dim, Dim>>> assignments(const Shape& to, const Shape& from) {
  if (from.size() != to.size()) return std::nullopt;
  std::vector<std::pair<Dim, Dim>> sizes;
  for (std::size_t k = 0; k < to.size(); ++k) {
    if (from[k] == to[k]) continue;
    const auto made = assignment(to[k], from[k]);
    if (!made) return std::nullopt;
    sizes.push_back(*made);
  }
  return sizes;
}

// Copies a state whose extents are a constant and a symbol, which gets its value; false for any
// other, and where `from` has other sizes in any case.
bool copy_growing(Lower& n, BufferId from, BufferId to) {
  if (n.is_object(from) || n.is_object(to)) return false;
  const Shape shape = n.program().at(to).shape;
  const bool grows = std::any_of(shape.begin(), shape.end(),
                                 [](const Dim& d) { return !d.is_const() && !d.as_symbol(); });
  auto sizes = grows ? assignments(shape, n.program().at(from).shape) : std::nullopt;
  if (!sizes || sizes->empty()) return false;
  n.set_sizes(std::move(*sizes));
  n.allocate(to);
  n.copy(from, to);
  return true;
}

// The first value of a state that grows from constants.
bool start_growth(Lower& n, BufferId first, BufferId state) {
  if (n.is_object(first)) return false;
  const Shape from = n.program().at(first).shape, to = n.program().at(state).shape;
  bool grows = false;
  for (std::size_t k = 0; k < std::min(from.size(), to.size()); ++k)
    grows = grows || (from[k].is_const() && !to[k].is_const() && !to[k].as_symbol());
  return grows && copy_growing(n, first, state);
}

// The last value, in an output whose sizes have another symbol than the body's.
bool finish_growth(Lower& n, BufferId state, BufferId out) {
  return !n.is_object(out) && !is_size_known(n, n.program().at(out).shape) &&
         copy_growing(n, state, out);
}

}  // namespace

BufferId start_state(Lower& n, std::size_t i, BufferId first, const Value& inner) {
  const auto sees_its_sizes = [&] {
    const BufferId out = n.out(i);
    return n.is_object(out) || !inner.type.has_rank() ||
           n.program().at(out).shape == *inner.type.shape;
  };
  const bool own = n.has_output(i) && sees_its_sizes();
  const BufferId state = own ? n.out(i) : n.scratch_like(inner.type, "state");
  if (!start_growth(n, first, state)) copy_joined(n, first, state);
  n.bind(inner, state);
  return state;
}

void finish_states(Lower& n, const std::vector<BufferId>& states) {
  for (std::size_t i = 0; i < states.size(); ++i)
    if (n.has_output(i) && states[i] != n.out(i) && !finish_growth(n, states[i], n.out(i)))
      copy_joined(n, states[i], n.out(i));
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
    for (std::size_t k = 0; k < std::min(source.size(), target.size()); ++k) {
      const auto made = assignment(target[k], source[k]);
      if (!made) continue;
      changes = true;
      // Others may grow by as much.
      if (std::find(sizes.begin(), sizes.end(), *made) == sizes.end()) sizes.push_back(*made);
    }
    if (changes) resized.push_back(to);
  }
  n.set_sizes(std::move(sizes));
  for (BufferId id : resized) n.allocate(id);
  for (std::size_t i = 0; i < moves.size(); ++i)
    if (sources[i] != moves[i].second) n.copy(sources[i], moves[i].second);
}

Tensor true_scalar() {
  const std::uint8_t one = 1;
  return Tensor::of<std::uint8_t>(ElemType::boolean, {}, std::span(&one, 1));
}

}  // namespace onnxc::ops

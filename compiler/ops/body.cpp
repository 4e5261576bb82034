#include "compiler/ops/body.hpp"

namespace onnxc::ops {
namespace {

// What a former inference of the body found no longer holds for other state types.
void forget(Graph& graph) {
  for (auto& node : graph.nodes) {
    for (Value* v : node->outputs) {
      if (!v) continue;
      v->constant.reset();
      v->extent.reset();
      v->type = {};
    }
    each_subgraph(*node, forget);
  }
}

// Makes `known` hold for `next` as well; true if it had to change.
bool widen(Infer& n, Type& known, const Type& next, std::size_t i) {
  if (next.kind == Type::Kind::unknown) return false;
  n.require(known.kind == next.kind && known.elem == next.elem, fmt::format("state variable {}", i),
            "is {}, the body makes it {}", known.to_string(), next.to_string());
  if (!known.shape) return false;
  if (!next.shape || next.rank() != known.rank()) {
    known.shape.reset();
    return true;
  }
  bool changed = false;
  for (std::size_t k = 0; k < known.rank(); ++k) {
    Dim& d = (*known.shape)[k];
    if (d == (*next.shape)[k] || !d.is_const()) continue;
    d = n.unknown_extent();
    changed = true;
  }
  return changed;
}

}  // namespace

void infer_loop_body(Infer& n, Graph& body, std::size_t first_input, std::size_t first_output,
                     std::vector<Type>& state) {
  // Each round makes an extent unknown or forgets a rank, so it ends.
  for (bool changed = true; changed;) {
    for (std::size_t i = 0; i < state.size(); ++i) body.inputs[first_input + i]->type = state[i];
    n.infer_body(body);
    changed = false;
    for (std::size_t i = 0; i < state.size(); ++i)
      changed = widen(n, state[i], body.outputs[first_output + i]->type, i) || changed;
    if (changed) forget(body);
  }
}

namespace {

Call slice_call(Lower& n, const char* kernel, std::size_t axis, const Shape& whole, bool reverse) {
  Call call = n.call(kernel);
  call.dim("outer", product(whole, 0, axis));
  call.dim("extent", whole[axis]);
  call.dim("inner", product(whole, axis + 1, whole.size()));
  call.flag("reverse", reverse);
  return call;
}

}  // namespace

void take_slice(Lower& n, BufferId from, BufferId counter, BufferId slice, std::size_t axis,
                const Shape& whole, bool reverse) {
  slice_call(n, "take_slice", axis, whole, reverse).read(from).read(counter).write(slice).fallible();
}

void put_slice(Lower& n, BufferId slice, BufferId counter, BufferId to, std::size_t axis,
               const Shape& whole, bool reverse) {
  slice_call(n, "put_slice", axis, whole, reverse).read(slice).read(counter).write(to).fallible();
}

void copy_all(Lower& n, const std::vector<std::pair<BufferId, BufferId>>& moves) {
  Program& p = n.program();
  std::vector<BufferId> sources;
  for (const auto& [from, to] : moves) {
    bool overwritten = false;
    for (const auto& [other_from, other_to] : moves)
      overwritten = overwritten || (other_to != to && p.root(from).first == p.root(other_to).first);
    if (overwritten) {
      const BufferId saved = n.scratch(p.at(from).elem, product(p.at(from).shape), "saved");
      n.copy(from, saved);
      sources.push_back(saved);
    } else {
      sources.push_back(from);
    }
  }
  for (std::size_t i = 0; i < moves.size(); ++i)
    if (sources[i] != moves[i].second) n.copy(sources[i], moves[i].second);
}

Tensor truth() {
  const std::uint8_t one = 1;
  return Tensor::of<std::uint8_t>(ElemType::boolean, {}, std::span(&one, 1));
}

}  // namespace onnxc::ops

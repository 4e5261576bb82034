// What Loop and Scan share: bodies that carry state from one iteration to the next.
#pragma once

#include <set>
#include <string>

#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"

namespace onnxc::ops {

// Drops what an inference found out about the results of nodes: it holds no longer when the types
// of what the body reads have changed.
void forget(Graph& graph);

// Infers `body`, whose inputs from `first_input` on are the state and whose outputs from
// `first_output` on are the next state. `state` comes in as the types before the first iteration
// and goes out as types that hold in every iteration: extents that change become unknown. Returns
// the symbols of those.
std::set<std::string> infer_loop_body(Infer& n, Graph& body, std::size_t first_input,
                                      std::size_t first_output, std::vector<Type>& state);

// The shape of all slices of a scan output, of which the body makes `element`. An extent that
// depends on a `variable` one becomes a symbol of its own, which the first slice tells: the
// variable one goes on to change.
Shape slice_shape(Infer& n, const Shape& element, const std::set<std::string>& variable);

// Copies slice `*counter` along `axis` of a tensor of shape `whole` out of it, or into it.
void take_slice(Lower& n, BufferId from, BufferId counter, BufferId slice, std::size_t axis,
                const Shape& whole, bool reverse);
void put_slice(Lower& n, BufferId slice, BufferId counter, BufferId to, std::size_t axis,
               const Shape& whole, bool reverse);

// Copies all (from, to) as if at once: a source that is also a target is saved first.
void copy_all(Lower& n, const std::vector<std::pair<BufferId, BufferId>>& moves);

Tensor truth();  // a bool scalar, true

}  // namespace onnxc::ops

// Shared by Loop and Scan: bodies that carry state from one iteration to the next.
#pragma once

#include <set>
#include <string>

#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"

namespace onnxc::ops {

// Drops the inferred types of the body's nodes, which are stale once its input types have changed.
void clear_inferred(Graph& graph);

// The rank and constants that a body declares of an input whose value has no known rank.
Type with_declared_rank(Infer& n, Type known, const Value& inner);

// Infers `body`, whose inputs from `first_input` on are the state and whose outputs from
// `first_output` on are the next state. `state` holds the types before the first iteration and
// receives types that hold in every iteration: dimensions that change become unknown. Returns the
// symbols of those. Dimensions that every iteration changes by as much have a bound where there are
// at most `trips` iterations.
std::set<std::string> infer_loop_body(Infer& n, Graph& body, std::size_t first_input,
                                      std::size_t first_output, std::vector<Type>& state,
                                      const std::optional<Dim>& trips = std::nullopt);

// The shape of the slices of a scan output, where the body produces `element`. A dimension that
// depends on a `variable` one becomes a new symbol, set by the first slice, because the variable
// one changes later.
Shape slice_shape(Infer& n, const Shape& element, const Graph& body,
                  const std::set<std::string>& variable);
// The sequence of all slices.
Type tape_type(Infer& n, Type element, const Graph& body, const std::set<std::string>& variable);

// Memory of state variable `i`, an output of the node, with its first value in it. The output
// itself, unless it is declared with other sizes than the body sees: then finish_states copies it.
// State has memory of its own: the body reads the old value while it computes the new one.
BufferId start_state(Lower& n, std::size_t i, BufferId first, const Value& inner);
void finish_states(Lower& n, const std::vector<BufferId>& states);

// Copies slice `*counter` along `axis` out of a tensor of shape `whole`, or into it.
void take_slice(Lower& n, BufferId from, BufferId counter, BufferId slice, std::size_t axis,
                const Shape& whole, bool reverse);
void put_slice(Lower& n, BufferId slice, BufferId counter, BufferId to, std::size_t axis,
               const Shape& whole, bool reverse);

// Copies all (from, to) as if at once: a source that is also a target is saved first.
void copy_all(Lower& n, const std::vector<std::pair<BufferId, BufferId>>& moves);

Tensor true_scalar();  // a bool scalar, true

}  // namespace onnxc::ops

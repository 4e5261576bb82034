// What is done to a model between the passes and the emitter, in this order; session.cpp calls it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/program.hpp"
#include "compiler/schedule/free_range.hpp"
#include "compiler/support/diagnostics.hpp"
#include "compiler/support/options.hpp"
#include "compiler/support/target.hpp"

namespace onnxc {

// One or more kernel calls per node, in the graph's order. Reports nodes that cannot be lowered
// (symbolic dimensions, operators without kernels) and continues, so that one run lists every
// error.
Program lower_graph(const Graph& graph, const CompileOptions& options, const Target& target,
                    Diagnostics& diagnostics);

// The same for a graph of a training model. State variables are buffers in the state block. With an
// entry, whose graph it is, the program ends by storing the results of its bindings; the variables
// keep their old values until then. Results that the bindings leave are optional outputs.
Program lower_graph(const Graph& graph, const CompileOptions& options, const Target& target,
                    Diagnostics& diagnostics, const State& state, const TrainingEntry* entry);

// Throws std::logic_error unless the steps that exchange messages are those of the plan, in its
// order.
void check_exchanges(const Program& program, const std::vector<Exchange>& planned);

// Gives every state variable its place after the header, larger element types first, so that each
// is aligned for its type without gaps. Reports variables that plain memory cannot hold.
void lay_out_state(State& state, Diagnostics& diagnostics);

// A buffer of the variable with this index, for a program.
Buffer state_buffer(const State& state, int variable);

// The program that stores the initial values of the state variables.
Program reset_program(const State& state, int alignment);

// Before lowering: moves the nodes that only serve updates of state variables after the others.
// Each update comes as soon as its operands are there and the old value has been read, the last
// layers first. So weight gradients live one at a time, and most variables can change in place.
void order_updates(TrainingEntry& entry);

// After order_updates: where most memory is in use, results that wait for the backward pass and are
// cheap to compute are recomputed before their late readers instead, from values that are in memory
// anyway. The same bits. Returns the number of nodes that were added.
std::size_t recompute(Graph& graph);

// After the lowering: Step::may_share loses the pairs whose input the step also reads by another
// operand, e.g. by a view of a part of it.
void mark_alias_hazards(Program& program);

// Computes new values of state variables in the memory of the old ones, where all reads of the old
// value come before or the step that computes the new one may work in place. The copies at the end
// of the program go away.
void update_in_place(Program& program);

// Computes the inputs of a Concat directly in their places in the result, where these are dense, as
// along the first axis of extent above 1. The arena may grow, as the whole result lives from the
// first part on, or shrink.
void write_parts(Program& program);

// Removes steps whose results nothing reads. Lowering knows the sizes of a Reshape or Expand and
// does not read them from memory, so that what computes them has no readers. Steps that may fail or
// that report sizes stay.
void remove_dead_steps(Program& program);

// Where loads do not reach constants: before each step that reads one the usual way, a step that
// copies it into the arena.
void stage_constants(Program& program, Diagnostics& diagnostics);

// Fuses a depthwise convolution with the pointwise convolution before it, the one after it, or
// both, if the tensor between them is too large for a second-level cache and has no other reader.
// Produces: steps of depthwise_block_nhwc.hpp, smaller buffers.
void fuse_depthwise(Program& program);

// Fuses a convolution with the MaxPool after it and the layout conversion before it, where the
// result of the convolution would leave the second-level cache and has no other reader
// (docs/decisions/0013). The values stay the same bit for bit.
void fuse_conv_pool(Program& program);

// Sets Step::chunks of the parallel calls that are worth dividing, and gives every thread its own
// per_thread scratch in them. With one thread nothing changes.
void plan_threads(Program& program, int threads, const Target& target);

// Sets Buffer::offset for every arena buffer that is not a view, Program::arena_bytes and
// Program::lower_bound. Buffers whose lifetimes do not overlap share memory; an output takes the
// memory of an input that dies in the same step, or overlaps it, if the step allows that. Adds
// steps that allocate and release the others. Throws OverflowError.
void plan_memory(Program& program);

// The size of the arena after plan_memory, or a size above `most` where that one is. Sets nothing
// that plan_memory does not set again.
std::int64_t planned_arena_bytes(Program& program, std::int64_t most);

// Bytes of the arena in use at every step, whatever the places.
std::vector<std::int64_t> bytes_in_use(Program program);

// Whether buffers of the arena that are in use at the same time are disjoint, or overlap as a step
// or a group that uses both allows. Before steps are added that allocate.
bool is_sound_plan(const Program& program);

// For targets with little memory: plan_memory with line-buffered layers
// (templates/convolution/line_buffered.hpp), alone or in groups, where that makes the arena
// smaller. The other steps stay. With a limit in bytes: the layers with the fewest instructions
// with which the arena is within it, or else the smallest arena. Without one: the least product of
// memory and instructions.
void plan_memory_line_buffered(Program& program, const std::optional<std::int64_t>& limit,
                               const Target& target);

// For --input-rows: inserts a step before the one that reads this input, which gets the rows of the
// image from a user callback. An error where there is no such input, or where what reads it cannot
// be line-buffered.
void stream_input_rows(Program& program, const std::string& input, Diagnostics& diagnostics);
// Whether a step reads rows from the caller; the same in a line-buffered group, of which it is the
// first layer.
bool is_row_source(const Step& step);
bool is_grouped_row_source(const Step& step);

// After the lowered steps: an input that is read row by row, as `planes` pieces of `width`
// elements.
struct RowInput {
  BufferId input = -1;
  std::int64_t rows = 0, planes = 1, width = 0;
};
std::optional<RowInput> row_input(const Program& program);

// Names every step, and the buffers that it writes, by the shortest suffix of its node's path that
// is unique: "/encoder/layer.0/attention/MatMul" becomes "layer.0/attention/MatMul" if other layers
// have an attention/MatMul. Buffers of values are named after the values. A value whose name is a
// number gets the name of the step that writes it.
void name_steps(Program& program);

// Finds calls of model-local functions that became the same steps on other buffers, and makes
// functions of them: Program::functions and calls. calls: Model::calls.
void outline_functions(Program& program, const std::map<std::string, std::string>& calls);

// The check of --no-heap: errors if the program, which the graph became, needs a heap. They name
// values without a bound, the nodes that make these, and the options that would give one.
void refuse_heap(const Program& program, const Graph& graph, Diagnostics& diagnostics);

// Errors where the program has what the types of the target cannot hold.
void check_target_limits(const Program& program, const Target& target, Diagnostics& diagnostics);

// Whether a call of the program is divided among threads.
bool has_chunks(const Program& program);

// When each root buffer is first written and last read.
std::vector<Lifetime> lifetimes(const Program& program);

// Divides the arena among these memories, fastest first: sets Program::regions, Buffer::region and
// offsets. What moves most for each byte goes into the fastest memory with room for it. An error if
// the last one is too small.
void divide_arena(Program& program, const std::vector<MemoryRegion>& memory,
                  Diagnostics& diagnostics);

}  // namespace onnxc

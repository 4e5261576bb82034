// The lowered model: buffers, and kernel calls in the order they run.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compiler/ir/graph.hpp"
#include "compiler/ir/op.hpp"

namespace onnxc {

using BufferId = int;

// Buffers with a bound above this many bytes are not in the arena.
inline constexpr std::int64_t kLargestBound = std::int64_t{1} << 30;

// Memory that kernel calls read and write.
struct Buffer {
  // heap: size without a bound; memory from the caller's allocator while it is in use.
  // object: a Value, for containers and for tensors of a dynamic rank.
  // state: a variable in the state block, at `offset`.
  enum class Kind : std::uint8_t { input, output, constant, arena, heap, object, state };
  Kind kind = Kind::arena;
  std::string name;  // the emitter makes an identifier of it
  ElemType elem = ElemType::undefined;
  Type type;                     // Kind::object
  Shape shape;                   // as stored, for sizes and comments
  const Value* value = nullptr;  // null for scratch and packed weights
  Tensor constant;               // Kind::constant
  // A view: starts `view_offset` bytes into another buffer.
  BufferId view_of = -1;
  Dim view_offset = 0;
  // Its size changes, so lowering says where its memory is allocated (Step::Kind::allocate).
  bool allocated_by_steps = false;
  // Scratch that every thread needs a copy of; plan_threads makes it [threads, ...].
  bool per_thread = false;
  // Set by the memory plan, for arena buffers.
  std::int64_t offset = -1;
  int region = 0;  // index in Program::regions
  // What happens where the caller leaves an output out: that is an error, its place in the arena or
  // a heap block is used, or the steps that write it are skipped.
  enum class Absent : std::uint8_t { error, arena, heap, skipped };
  Absent absent = Absent::error;
};

// A member of the shape struct of a kernel.
struct Param {
  std::string name;
  std::variant<Dim, std::vector<Dim>, bool, float, std::vector<float>, std::string> value;
  bool integers = false;  // contents of a tensor, which may not fit in an Index as sizes do
  bool constant = false;  // the kernel takes it as a constant: calls that differ share nothing
};

// One call inside a lambda. An operand >= 0 is a parameter of the lambda; a negative one is the
// result of an earlier call with the index ~operand.
struct LambdaCall {
  ops::ScalarFn fn;
  std::vector<int> operands;
};

// An element-wise function given to a kernel.
//   map:      [](auto a, auto b) { return ...; }, one parameter per input
//   epilogue: [=](auto v, Index at, Index channel) { return ...; }; parameter 0 is v, the others
//             are captured buffers, read at `at`, at `channel`, or at 0.
struct Lambda {
  enum class Form : std::uint8_t { map, epilogue } form = Form::map;
  enum class Read : std::uint8_t { element, channel, scalar };
  struct Capture {
    BufferId buffer = -1;
    Read read = Read::element;
  };
  int parameters = 0;             // map only
  std::vector<Capture> captures;  // epilogue only
  std::vector<LambdaCall> calls;  // empty: identity
  bool vectorises = true;
};

struct BufferArg {
  BufferId buffer = -1;
  bool writes = false;
  bool as_block = false;  // the Block itself, not its memory
};
struct NullArg {
  ElemType elem = ElemType::undefined;  // type that the pointer points at, if known
  bool writes = false;
};
// Where a kernel reports the dimensions of its result: Index[extents.size()]. A symbol that is not
// yet known gets the value; any other dimension must agree.
struct ExtentsArg {
  Shape extents;
};
// Decision trees as an object of the generated code: each(x, vote) calls vote(t, leaf) for every
// tree t, with the leaf that the row x reaches.
struct DecisionTrees {
  struct Node {
    bool leaf = false;
    std::uint8_t outcomes = 0;  // of comparing with the split, for the child `yes`
    std::int64_t feature = 0;
    double split = 0;
    std::vector<double> members;  // instead of the split
    std::size_t yes = 0, no = 0;
    bool operator==(const Node&) const = default;
  };
  ElemType arithmetic = ElemType::float32;
  std::vector<Node> nodes;
  std::vector<std::size_t> roots;
  bool operator==(const DecisionTrees&) const = default;
};
struct TreesArg {
  std::shared_ptr<const DecisionTrees> trees;
};
struct HeapArg {};     // the Heap of the call, for kernels that need memory of a dynamic size
struct DevicesArg {};  // the caller's functions that reach other devices
struct ProbeArg {      // the caller's callback for a tensor of the model
  std::string name;
  ElemType elem = ElemType::undefined;
};
struct UserFunctionArg {  // the function template of --operator
  std::string name;
};
struct Arg {
  std::variant<BufferArg, NullArg, Dim, float, Lambda, ExtentsArg, HeapArg, TreesArg, DevicesArg,
               ProbeArg, UserFunctionArg>
      value;
};

struct Step {
  // Blocks: open_if reads `condition`; open_loop counts `counter` up from 0 while it is below
  // `trips` and `condition` holds (either may be -1: no such limit). A close ends each of them.
  // Sizes: `set` gives symbols new values, all at once; `check` ends the call unless the relations
  // hold; `allocate` gives `buffer` memory for its shape, `release` frees it.
  enum class Kind : std::uint8_t {
    call,
    open_if,
    open_else,
    open_loop,
    close,
    set,
    check,
    allocate,
    release
  };
  Kind kind = Kind::call;
  BufferId condition = -1, counter = -1, trips = -1;
  std::optional<Dim> max_trips;  // of a loop, where a bound is known before the call
  bool may_end_early = false;    // before max_trips
  BufferId buffer = -1;
  std::vector<std::pair<std::string, Dim>> sets;
  std::vector<Relation> relations;

  std::string name;    // identifier stem, from the model's own names
  std::string kernel;  // function template
  std::vector<std::string> template_args;
  std::vector<Param> params;
  std::vector<Arg> args;
  // The arguments [begin, end) are the members of one struct: printed as type{...}.
  struct ArgStruct {
    std::string type;
    std::size_t begin = 0, end = 0;
  };
  std::vector<ArgStruct> arg_structs;
  bool divisible = false;           // the kernel computes the chunk that its shape gives
  bool one_chunk_a_thread = false;  // the chunks wait for each other's results
  Dim chunks = 1;                   // of a divisible call, set by plan_threads
  bool is_update = false;           // a copy of a new value to its state variable
  // Of a plain copy of a dense buffer into one that only such copies write, each another part: the
  // place of the part, in bytes.
  std::optional<Dim> part_offset;
  std::vector<std::string> sources;  // ONNX nodes
  std::string title;                 // "Conv + Relu"
  std::string shape_note;            // "[1,3,224,224] -> [1,64,112,112]"
  Dim macs = 0;                      // multiply-accumulates
  Dim inputs = 0, outputs = 0;       // elements of the first input and of the first output
  // The output may share the memory of an input that dies here: pairs of (input, output) buffers.
  std::vector<std::pair<BufferId, BufferId>> may_share;
  int group = -1;  // index in Program::groups of the line-buffered group that it is a layer of
  std::int64_t rows = 0;  // that such a layer computes, one at a time
};

// True for the steps that compute sizes or manage heap memory.
inline bool is_size_step(const Step& step) {
  return step.kind == Step::Kind::set || step.kind == Step::Kind::check ||
         step.kind == Step::Kind::allocate || step.kind == Step::Kind::release;
}

bool communicates(const Step& step);  // with other devices
bool is_probe(const Step& step);      // hands a tensor to the caller

// Layers that run line-buffered (docs/decisions/0031), alone or together: consecutive steps, one
// statement of the generated code. Of `buffers` only some rows are in use at a time.
struct LineBufferedGroup {
  // `a` may begin this many bytes before `b`, or more.
  struct Distance {
    BufferId a = -1, b = -1;
    std::int64_t bytes = 0;
  };
  std::vector<BufferId> buffers;
  std::vector<Distance> distances;  // of every two of them, in both orders
  std::int64_t most = 0;            // bytes of them in use at a time
  std::size_t layers = 1;
  bool backwards = false;  // a single layer that goes from the last row to the first
};

// A call of a function of the generated code in place of the steps [begin, end).
struct FunctionCall {
  std::size_t function = 0;  // index in Program::functions
  std::size_t begin = 0, end = 0;
  std::vector<BufferId> arguments;  // one for each parameter
  std::string source;               // path of the call in the model
};

// Steps that several calls of a model-local function became: a function of the generated code, with
// buffers and sizes as parameters. Its body are the steps [begin, end) of the first call.
struct OutlinedFunction {
  struct Parameter {
    BufferId buffer = -1;
    bool as_block = false;  // the Block itself, not its memory
    bool written = false;
  };
  std::string name;    // as the model calls it
  std::string prefix;  // of the paths of its nodes, with a slash at the end
  std::size_t begin = 0, end = 0;
  std::vector<Parameter> parameters;
  std::vector<std::string> sizes;   // symbols
  bool fallible = false;            // returns Status
  bool divided = false;             // has calls that several threads share
  std::vector<FunctionCall> calls;  // in its body
};

// A dimension that is a variable of the generated function.
struct SizeSymbol {
  std::string name;
  int input = -1;  // given by this input's axis; otherwise set by steps
  std::size_t axis = 0;
  ExtentRange range;
  std::optional<Dim> definition;  // in terms of sizes that the inputs give
  bool is_draw = false;           // no size: the number of the draw, see Program::draw_symbol
};

// A memory that holds a part of the arena, and the traffic of one run that the plan gives it:
// bytes of its buffers that steps read and write, each buffer once a step.
struct ArenaRegion {
  std::string name;
  std::int64_t capacity = 0;
  double cost = 1;
  std::int64_t bytes = 0;  // taken by the plan
  std::int64_t traffic = 0;
};

struct Program {
  // A symbol of programs that train: it differs from one run to the next, and so do the numbers of
  // random operators.
  static constexpr const char* draw_symbol = "@draw";

  std::vector<SizeSymbol> symbols;
  std::vector<Relation> input_relations;  // between dimensions of the inputs, checked first
  std::vector<Buffer> buffers;
  std::vector<Step> steps;
  std::vector<BufferId> inputs, outputs;  // in the model's order
  std::vector<OutlinedFunction> functions;
  std::vector<FunctionCall> calls;  // outside functions, in the order of steps
  std::vector<LineBufferedGroup> groups;
  std::vector<ArenaRegion> regions;  // of the arena; empty: one, of arena_bytes
  std::int64_t arena_bytes = 0;      // of all regions
  std::int64_t lower_bound = 0;      // largest number of bytes alive at one step, for any placement
  int alignment = 64;

  // Every buffer a step reads or writes.
  template <class F>
  static void each_buffer(const Step& step, F f) {
    for (BufferId id : {step.condition, step.counter, step.trips, step.buffer})
      if (id >= 0) f(id);
    for (const Arg& arg : step.args) {
      if (const auto* b = std::get_if<BufferArg>(&arg.value)) f(b->buffer);
      if (const auto* l = std::get_if<Lambda>(&arg.value))
        for (const Lambda::Capture& c : l->captures) f(c.buffer);
    }
  }

  Buffer& at(BufferId id) { return buffers[static_cast<std::size_t>(id)]; }
  const Buffer& at(BufferId id) const { return buffers[static_cast<std::size_t>(id)]; }
  Dim bytes(BufferId id) const;
  // The largest number of bytes it can take; nullopt without a bound.
  std::optional<std::int64_t> capacity(BufferId id) const;
  std::optional<std::int64_t> at_most(const Dim& d) const;
  const SizeSymbol* symbol(const std::string& name) const;
  bool uses_heap() const;
  bool communicates() const;  // with other devices
  bool has_probes() const;
  // The buffer at the end of a chain of views, and the byte offset in it.
  std::pair<BufferId, Dim> root(BufferId id) const;
};

// The dimensions in storage order: channels moved to the end for channels-last.
Shape stored_shape(const Shape& logical, Layout layout);

}  // namespace onnxc

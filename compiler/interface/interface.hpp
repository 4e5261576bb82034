// The C interface of a model as lists: from them the header, the C++ wrapper, the checks of
// arguments, the adapter of tests, packages and examples are printed.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/interface/port.hpp"
#include "compiler/ir/graph.hpp"

namespace onnxc {

// What the interface has besides ports and the arena.
struct InterfaceFacts {
  Identifier prefix;
  std::string stem = {};          // of the files
  bool open_sizes = false;        // inputs come with their sizes
  bool heap = false;              // sizes without a bound live in memory of an allocator
  bool external_weights = false;  // the caller provides them
  struct Memory {
    Identifier name;
    std::int64_t bytes = 0;
  };
  std::vector<Memory> memories = {};  // parts of the arena that may lie elsewhere
  bool hook = false;                  // the caller watches the steps
  bool probes = false;                // the caller reads inner tensors
  bool pool = false;                  // the caller provides threads
  bool devices = false;               // the caller exchanges messages with other devices
  bool state = false;                 // run() reads the state block
  bool rows = false;                  // the caller supplies an input row by row
  bool training = false;
  bool self_test = false;
};

// A member of a struct of inputs or outputs.
struct Member {
  enum class Kind : std::uint8_t { pointer, size, extents, rows, unused };
  Kind kind = Kind::pointer;
  std::string type;  // in C
  std::string name;
  CommentText comment = {};
  std::size_t count = 0;  // of the array of extents
};

// A member of the inputs that is no port. To add one, add a row to the table in resources.cpp.
struct Resource {
  Member member;
  std::string parameter;  // its type in the C++ namespace, for the wrapper of run()
  // Where that wrapper has it: `defaulted` parameters come last and may be left out.
  enum class Place : std::uint8_t { before_arena, after_arena, defaulted };
  Place place = Place::defaulted;
  std::string refused;  // the condition on which run() gives BAD_ARGUMENT; "" for never
};
std::vector<Resource> resources(const InterfaceFacts& facts);

// The names of those that any model may have.
std::vector<std::string> resource_members();

// Every member of <prefix>_inputs and of <prefix>_outputs, in order. C has no empty structs.
std::vector<Member> input_members(const InterfaceFacts& facts, const std::vector<Port>& ports);
std::vector<Member> output_members(const InterfaceFacts& facts, const std::vector<Port>& ports);

// A value of <prefix>_status.
struct StatusValue {
  const char* name;
  int value;
  const char* meaning;
};
// Those that the functions of this model return.
std::vector<StatusValue> statuses(const InterfaceFacts& facts);
// Those of any model.
std::vector<std::string> status_names();
// "BAD_INDEX"; "status 77" for a number that is none.
std::string status_name(int status);

// A macro <PREFIX>_<name>.
struct Constant {
  std::string name, value;  // value as C has it
  CommentText comment = {};
};

// `conv1_w`: pointer type and element names as C and C++ see them.
std::string c_type(ElemType elem, const Identifier& prefix);

// Ports with C identifiers made from the names of the model.
std::vector<Port> make_ports(const std::vector<Value*>& values,
                             const std::set<std::string>& reserved);

// The prefix of the C interface, from a file name or an option: neither the prefix nor a name made
// with it, such as X_OK, is one that common headers define.
Identifier interface_prefix(std::string_view wanted);

// Names of the C interface of a model: macros, enumerators, types.
std::set<std::string> interface_names(const Identifier& prefix);

// Whether a memory of this name would declare what the interface declares itself.
bool is_interface_word(const Identifier& prefix, const std::string& memory);

// A state variable, as it is stored in the state block.
struct StatePort {
  std::string name;  // ONNX's
  ElemType elem = ElemType::undefined;
  std::vector<std::int64_t> dims;
  std::int64_t offset = 0;
};

// What a model has that is compiled for training: reset, init, train and train_<k>.
struct TrainingInterface {
  std::vector<StatePort> variables;
  std::int64_t state_bytes = 0;
  struct Algorithm {
    std::string function;  // after the prefix
    std::vector<Port> inputs, outputs;
    bool uses_heap = false;
  };
  Algorithm all;  // in order, "train"
  std::vector<Algorithm> algorithms;
  std::int64_t arena_bytes = 0, arena_lower_bound = 0;
};

// <name>_status <name>_run(const <name>_inputs*, const <name>_outputs*, void* arena), declared in
// <base>.h for C and C++, and its other functions.
struct ModelInterface {
  Identifier name;  // C identifier prefix
  InterfaceFacts facts;
  std::vector<Port> inputs, outputs;
  std::vector<Constant> constants;
  std::optional<TrainingInterface> training;
};

}  // namespace onnxc

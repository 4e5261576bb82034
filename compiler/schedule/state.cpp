// Lays out the state block and fills it.
#include "compiler/schedule/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "compiler/support/checked.hpp"
#include "compiler/support/hash.hpp"

namespace onnxc {
namespace {

bool is_zero(const Tensor& t) {
  const auto bytes = t.bytes();
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
}

BufferId add(Program& program, Buffer buffer) {
  program.buffers.push_back(std::move(buffer));
  return static_cast<BufferId>(program.buffers.size() - 1);
}

Buffer constant_buffer(const std::string& name, Tensor tensor) {
  Buffer b;
  b.kind = Buffer::Kind::constant;
  b.name = name;
  b.elem = tensor.elem();
  b.shape = to_shape(tensor.dims());
  b.constant = std::move(tensor);
  return b;
}

// Zeros need no constant of the variable's size.
Step initial_step(Program& program, const State& state, int index) {
  const StateVariable& v = state.variables[static_cast<std::size_t>(index)];
  const BufferId to = add(program, state_buffer(state, index));
  const bool zero = is_zero(v.initial);
  const BufferId from =
      add(program, zero ? constant_buffer("zero", Tensor::zeros(v.initial.elem(), {1}))
                        : constant_buffer(v.name, v.initial));
  Step step;
  step.name = "reset_" + v.name;
  step.kernel = zero ? "fill" : "copy";
  step.title = zero ? "Fill" : "Copy";
  step.sources = {v.name};
  step.params = {{"count", Dim(v.initial.size())}};
  step.args = {{BufferArg{from, false}}, {BufferArg{to, true}}};
  return step;
}

}  // namespace

void lay_out_state(State& state, Diagnostics& diagnostics) {
  std::vector<std::size_t> order(state.variables.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto width = [&](std::size_t i) {
    return storage_bytes(state.variables[i].initial.elem());
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return width(a) > width(b); });
  Hash hash;
  state.bytes = State::kHeaderBytes;
  for (std::size_t i : order) {
    StateVariable& v = state.variables[i];
    if (v.initial.elem() == ElemType::string)
      diagnostics.error("unsupported-type", "initializer " + quoted(v.name),
                        "a binding cannot change strings");
    v.offset = state.bytes;
    const auto bytes = checked_mul(v.initial.size(), static_cast<std::int64_t>(width(i)));
    state.bytes = checked_add(state.bytes, bytes);
    hash.add(v.name);
    hash.add(info(v.initial.elem()).onnx_name);
    hash.add(static_cast<std::int64_t>(v.initial.dims().size()));
    for (const std::int64_t d : v.initial.dims()) hash.add(d);
  }
  state.layout = hash.value();
}

Buffer state_buffer(const State& state, int variable) {
  const StateVariable& v = state.variables[static_cast<std::size_t>(variable)];
  Buffer b;
  b.kind = Buffer::Kind::state;
  b.name = v.name;
  b.elem = v.initial.elem();
  b.type = Type::tensor(b.elem, to_shape(v.initial.dims()));
  b.shape = *b.type.shape;
  b.offset = v.offset;
  return b;
}

Program reset_program(const State& state, int alignment) {
  Program program;
  program.alignment = alignment;
  for (std::size_t i = 0; i < state.variables.size(); ++i)
    program.steps.push_back(initial_step(program, state, static_cast<int>(i)));
  return program;
}

}  // namespace onnxc

// Names functions, ports and variables of a model that is compiled for training.
#include "compiler/emit/training_context.hpp"

#include <algorithm>

#include "compiler/interface/names.hpp"

namespace onnxc {
namespace {

using Kind = EmitContext::Kind;

// Algorithms with a port of the same name and kind share the member for it.
bool is_same(const Port& a, const Port& b) {
  return a.name == b.name && a.elem == b.elem && a.dims == b.dims && a.is_object() == b.is_object();
}

using Operand = std::vector<Value*> (*)(const TrainingEntry&);

std::vector<Value*> inputs_of(const TrainingEntry& e) { return e.graph.inputs; }
std::vector<Value*> outputs_of(const TrainingEntry& e) {
  return {e.graph.outputs.begin(),
          e.graph.outputs.begin() + static_cast<std::ptrdiff_t>(e.free_outputs())};
}

// The ports of all algorithms, each once.
std::vector<Port> merged_ports(const std::vector<EntryProgram>& programs, Operand operands,
                               const std::set<std::string>& reserved) {
  std::vector<Value*> values;
  std::vector<Port> seen;
  for (const EntryProgram& e : programs) {
    if (e.kind != Kind::train) continue;
    const std::vector<Value*> list = operands(*e.entry);
    const std::vector<Port> ports = make_ports(list, {});
    for (std::size_t i = 0; i < ports.size(); ++i) {
      const auto same = [&](const Port& p) { return is_same(p, ports[i]); };
      if (std::any_of(seen.begin(), seen.end(), same)) continue;
      seen.push_back(ports[i]);
      values.push_back(list[i]);
    }
  }
  return make_ports(values, reserved);
}

// The ports of one algorithm, with the identifiers that `all` has for them.
std::vector<Port> own_ports(const std::vector<Value*>& values, const std::vector<Port>& all) {
  std::vector<Port> ports = make_ports(values, {});
  for (Port& port : ports)
    for (const Port& shared : all)
      if (is_same(shared, port)) port.identifier = shared.identifier;
  return ports;
}

Identifier function_of(Kind kind, std::size_t number, bool single) {
  switch (kind) {
    case Kind::run:
      return identifier_from("run");
    case Kind::reset:
      return identifier_from("reset");
    case Kind::init:
      return identifier_from(fmt::format("init_{}", number));
    case Kind::train:
      return identifier_from(single ? "train" : fmt::format("train_{}", number));
  }
  return {};
}

void name_variables(TrainingContext& t) {
  NameScope names;
  for (const char* macro : {"BYTES", "ALIGN"}) names.reserve(macro);
  for (const StateVariable& v : t.state.variables)
    t.variables.push_back(names.unique(upper_case(identifier_from(v.name))));
}

}  // namespace

void add_training(EmitContext& run, TrainingContext& t, const std::vector<EntryProgram>& programs) {
  const std::set<std::string> reserved = interface_names(run.name);
  t.inputs = merged_ports(programs, inputs_of, reserved);
  t.outputs = merged_ports(programs, outputs_of, reserved);
  name_variables(t);
  const auto algorithms = std::count_if(programs.begin(), programs.end(),
                                        [](const auto& e) { return e.kind == Kind::train; });
  std::size_t number[4] = {};
  for (const EntryProgram& e : programs) {
    EmitContext c{.model = run.model,
                  .program = e.program,
                  .target = run.target,
                  .options = run.options,
                  .name = run.name,
                  .name_space = run.name_space,
                  .stem = run.stem,
                  .kind = e.kind,
                  .training = &t};
    c.function = function_of(e.kind, number[static_cast<int>(e.kind)]++, algorithms == 1);
    if (e.kind == Kind::train) {
      c.inputs = own_ports(inputs_of(*e.entry), t.inputs);
      c.outputs = own_ports(outputs_of(*e.entry), t.outputs);
    }
    c.macs = total_macs(e.program);
    t.arena_bytes = std::max(t.arena_bytes, e.program.arena_bytes);
    t.lower_bound = std::max(t.lower_bound, e.program.lower_bound);
    t.functions.push_back(std::move(c));
  }
  run.training = &t;
}

TrainingInterface training_interface(const TrainingContext& t) {
  TrainingInterface r;
  for (const StateVariable& v : t.state.variables)
    r.variables.push_back({v.name, v.initial.elem(), v.initial.dims(), v.offset});
  r.state_bytes = t.state.bytes;
  r.arena_bytes = t.arena_bytes;
  r.arena_lower_bound = t.lower_bound;
  r.all = {"train", t.inputs, t.outputs, false};
  for (const EmitContext& c : t.functions) {
    if (c.kind != Kind::train) continue;
    r.algorithms.push_back({c.function, c.inputs, c.outputs, c.program.uses_heap()});
    r.all.uses_heap = r.all.uses_heap || c.program.uses_heap();
  }
  return r;
}

}  // namespace onnxc

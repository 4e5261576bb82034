// Reads training_info. Where IR.md and the comments of the file format differ, IR.md counts; what
// both leave open is decided in docs/decisions/0026-training.md.
#include "compiler/onnx/read/training_info.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "compiler/ir/clone.hpp"
#include "compiler/onnx/read/fields.hpp"
#include "compiler/onnx/read/graph_reader.hpp"
#include "proto/onnx.pb.h"

namespace onnxc::reader {
namespace {

using Pairs = google::protobuf::RepeatedPtrField<pb::StringStringEntryProto>;

constexpr std::int64_t kFirstIr = 7;

bool has_initializer(const pb::GraphProto& graph, std::string_view name) {
  return std::any_of(graph.initializer().begin(), graph.initializer().end(),
                     [&](const auto& t) { return t.name() == name; });
}

bool has_sparse_initializer(const pb::GraphProto& graph, std::string_view name) {
  return std::any_of(graph.sparse_initializer().begin(), graph.sparse_initializer().end(),
                     [&](const auto& t) { return t.values().name() == name; });
}

bool has_output(const pb::GraphProto& graph, std::string_view name) {
  return std::any_of(graph.output().begin(), graph.output().end(),
                     [&](const auto& v) { return v.name() == name; });
}

const Pairs& bindings(const pb::TrainingInfoProto& info, bool update) {
  return update ? info.update_binding() : info.initialization_binding();
}

// The state variables alone, for graphs that see nothing else of the inference graph.
Scope shared_variables(const Scope& main, Graph& graph) {
  Scope globals;
  globals.graph = &graph;
  globals.opsets = main.opsets;
  for (const auto& [name, binding] : main.names) {
    if (!binding.value || binding.value->state < 0) continue;
    Value* copy = graph.add_value(binding.value->name, binding.value->type);
    copy->state = binding.value->state;
    globals.names.emplace(name, Binding{copy, binding.made_by});
  }
  return globals;
}

// Unknown where the tensor is bad, which is reported where its data are read.
Type type_of_variable(const pb::TensorProto& tensor, Context& context) {
  try {
    return import_tensor_type(tensor, context);
  } catch (const OpError&) {
    return {};
  }
}

// The state variables that are initialisers of an algorithm: they are global, too.
void add_own_variables(Scope& globals, const std::map<std::string_view, int>& own,
                       const pb::GraphProto& algorithm, Context& context) {
  for (const auto& tensor : algorithm.initializer()) {
    const auto found = own.find(tensor.name());
    if (found == own.end()) continue;
    Value* value = globals.graph->add_value(tensor.name(), type_of_variable(tensor, context));
    value->state = found->second;
    globals.names.emplace(tensor.name(), Binding{value, Binding::kInitializer});
  }
}

// The scope of the inference graph for a copy of it.
Scope copied_scope(const Scope& main, const ValueMap& copies, Graph& graph) {
  Scope scope = main;
  scope.graph = &graph;
  for (auto& [name, binding] : scope.names)
    if (binding.value) binding.value = mapped(copies, binding.value);
  return scope;
}

// `taken`: gets the names of the graph's values.
Scope inner_scope(const Scope& outer, Scope::Parent kind, std::set<std::string>& taken,
                  const std::string& place) {
  for (const auto& v : outer.graph->values) taken.insert(v->name);
  Scope scope;
  scope.taken = &taken;
  scope.graph = outer.graph;
  scope.parent = &outer;
  scope.opsets = outer.opsets;
  scope.kind_of_parent = kind;
  scope.place = place;
  return scope;
}

}  // namespace

std::string TrainingReader::place(int info) const {
  return proto_.training_info_size() > 1 ? fmt::format("training_info {}, ", info)
                                         : "training_info, ";
}

// ---- state variables ----------------------------------------------------------------------------

void TrainingReader::check_key(int info, const std::string& key, const std::string& where) {
  const pb::GraphProto& algorithm = proto_.training_info(info).algorithm();
  if (has_initializer(proto_.graph(), key) || has_initializer(algorithm, key)) return;
  const bool sparse =
      has_sparse_initializer(proto_.graph(), key) || has_sparse_initializer(algorithm, key);
  context_.error("bad-binding", where,
                 sparse ? "is a sparse initializer, which cannot change"
                        : "is no initializer of the inference graph or of this algorithm");
}

void TrainingReader::check_binding(int info, bool update) {
  const pb::TrainingInfoProto& t = proto_.training_info(info);
  const pb::GraphProto& graph = update ? t.algorithm() : t.initialization();
  const std::string field = place(info) + (update ? "update_binding" : "initialization_binding");
  std::set<std::string_view> keys;
  for (const auto& pair : bindings(t, update)) {
    const std::string where = fmt::format("{}, key {}", field, quoted(pair.key()));
    if (!keys.insert(pair.key()).second) {
      context_.error("bad-binding", where, "is given twice");
      continue;
    }
    check_key(info, pair.key(), where);
    const bool made =
        has_output(graph, pair.value()) || (update && has_output(proto_.graph(), pair.value()));
    if (!made)
      context_.error(
          "bad-binding", fmt::format("{}, value {}", field, quoted(pair.value())),
          fmt::format("is no output of the {}",
                      update ? "algorithm or of the inference graph" : "initialization"));
  }
}

void TrainingReader::check_info(int info) {
  const pb::TrainingInfoProto& t = proto_.training_info(info);
  if (!t.has_algorithm())
    context_.error("bad-training-info", place(info) + "algorithm", "is missing");
  if (!t.has_initialization() && !t.initialization_binding().empty())
    context_.error("bad-training-info", place(info) + "initialization",
                   "is missing, but initialization_binding is not empty");
  if (!t.initialization().input().empty())
    context_.error("bad-training-info",
                   fmt::format("{}initialization, input {}", place(info),
                               quoted(t.initialization().input(0).name())),
                   "the graph must not have inputs");
  check_binding(info, false);
  check_binding(info, true);
}

void TrainingReader::add_variable(const std::string& key, Scope& main, StateNames& own) {
  const bool shared = has_initializer(proto_.graph(), key);
  StateNames& names = shared ? shared_ : own;
  const auto next = static_cast<int>(model_.state.variables.size());
  if (!names.emplace(key, next).second) return;
  model_.state.variables.push_back({key, {}, 0});
  if (shared) main.state.emplace(key, next);
}

void TrainingReader::find_state(Scope& main) {
  if (proto_.training_info().empty())
    return context_.error("no-training-info", "--train",
                          "the model has no training_info; onnxc prepare adds it");
  if (proto_.ir_version() < kFirstIr)
    context_.diagnostics.warning(
        "bad-ir-version", "training_info",
        fmt::format("exists since ir_version {}, the model has {}", kFirstIr, proto_.ir_version()));
  own_.resize(static_cast<std::size_t>(proto_.training_info_size()));
  for (int info = 0; info < proto_.training_info_size(); ++info) {
    check_info(info);
    for (const bool update : {false, true})
      for (const auto& pair : bindings(proto_.training_info(info), update))
        add_variable(pair.key(), main, own_[static_cast<std::size_t>(info)]);
  }
}

int TrainingReader::variable(int info, std::string_view key) const {
  const StateNames& own = own_[static_cast<std::size_t>(info)];
  const auto found = shared_.find(key);
  if (found != shared_.end()) return found->second;
  const auto local = own.find(key);
  return local == own.end() ? -1 : local->second;
}

// ---- graphs -------------------------------------------------------------------------------------

// Outputs that a binding takes come last. Values that are missing are already reported.
void TrainingReader::finish_entry(TrainingEntry& entry, const Scope& frame,
                                  const std::vector<std::string_view>& outputs,
                                  bool keeps_outputs) {
  const auto info = static_cast<int>(entry.info);
  const Pairs& pairs = bindings(proto_.training_info(info), keeps_outputs);
  std::vector<Value*> list;
  const auto is_taken = [&](std::string_view name) {
    return std::any_of(pairs.begin(), pairs.end(),
                       [&](const auto& p) { return p.value() == name; });
  };
  const auto add = [&](std::string_view name) {
    const Binding* binding = frame.find(name);
    if (binding && binding->value) list.push_back(binding->value);
    return binding && binding->value;
  };
  for (std::string_view name : outputs)
    if (keeps_outputs && !is_taken(name)) add(name);
  for (const auto& pair : pairs) {
    const int state = variable(info, pair.key());
    if (state >= 0 && add(pair.value())) entry.updates.push_back(state);
  }
  entry.graph.outputs = list;
}

void TrainingReader::read_initialization(int info, const Scope& main, GraphReader& reader) {
  const pb::TrainingInfoProto& t = proto_.training_info(info);
  if (!t.has_initialization()) return;
  auto entry = std::make_unique<TrainingEntry>();
  entry->kind = TrainingEntry::Kind::initialization;
  entry->info = static_cast<std::size_t>(info);
  Scope globals = shared_variables(main, entry->graph);
  add_own_variables(globals, own_[static_cast<std::size_t>(info)], t.algorithm(), context_);
  std::set<std::string> taken;
  Scope frame =
      inner_scope(globals, Scope::Parent::globals, taken, place(info) + "initialization, ");
  reader.read(t.initialization(), frame, true);
  finish_entry(*entry, frame, {}, false);
  if (!entry->updates.empty()) model_.entries.push_back(std::move(entry));
}

void TrainingReader::read_algorithm(int info, const Scope& main, GraphReader& reader) {
  const pb::GraphProto& algorithm = proto_.training_info(info).algorithm();
  auto entry = std::make_unique<TrainingEntry>();
  entry->info = static_cast<std::size_t>(info);
  const bool complete = has_graph_call(algorithm);
  ValueMap copies;
  std::vector<std::string_view> outputs;
  if (!complete) {
    copy_into(*main.graph, entry->graph, copies);
    for (const auto& output : proto_.graph().output()) outputs.push_back(output.name());
  }
  for (const auto& output : algorithm.output()) outputs.push_back(output.name());
  const Scope outer =
      complete ? shared_variables(main, entry->graph) : copied_scope(main, copies, entry->graph);
  std::set<std::string> taken;
  Scope frame = inner_scope(outer, complete ? Scope::Parent::globals : Scope::Parent::extended,
                            taken, place(info) + "algorithm, ");
  frame.state = own_[static_cast<std::size_t>(info)];
  if (complete) frame.callee = &proto_.graph();
  reader.read(algorithm, frame, true);
  finish_entry(*entry, frame, outputs, true);
  model_.entries.push_back(std::move(entry));
}

void TrainingReader::read_entries(const Scope& main, GraphReader& reader) {
  for (int info = 0; info < proto_.training_info_size(); ++info)
    read_initialization(info, main, reader);
  for (int info = 0; info < proto_.training_info_size(); ++info) read_algorithm(info, main, reader);
  for (auto& [index, initial] : context_.initial_state)
    if (initial) model_.state.variables[static_cast<std::size_t>(index)].initial = *initial;
}

}  // namespace onnxc::reader

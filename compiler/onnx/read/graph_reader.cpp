// Reads graphs, nodes, bodies and inlined function calls.
#include "compiler/onnx/read/graph_reader.hpp"

#include <fmt/format.h>

#include <utility>

#include "compiler/ir/editor.hpp"
#include "compiler/ir/op.hpp"
#include "compiler/onnx/read/devices.hpp"
#include "compiler/onnx/read/fields.hpp"
#include "compiler/onnx/read/fixed_inputs.hpp"
#include "compiler/onnx/read/order.hpp"
#include "compiler/onnx/read/upgrade.hpp"
#include "compiler/support/checked.hpp"
#include "proto/onnx.pb.h"

namespace onnxc::reader {
namespace {

// Graph::fresh_name ends the names that the compiler makes with "#12".
bool looks_fresh(const std::string& name) {
  std::size_t i = name.size();
  while (i > 0 && name[i - 1] >= '0' && name[i - 1] <= '9') --i;
  return i > 0 && i < name.size() && name[i - 1] == '#';
}

// The name of a value in its graph.
std::string value_name(const std::string& name, const Scope& frame) {
  if (!frame.owns_graph) return frame.graph->fresh_name(frame.prefix + name);
  const bool taken = frame.taken && !frame.taken->insert(name).second;
  const bool fresh = taken || (looks_fresh(name) && !frame.declared.count(name));
  return fresh ? frame.graph->fresh_name(name) : name;
}

std::string made_by(const Binding& binding, const Scope& frame) {
  if (binding.made_by == Binding::kInput) return "an input";
  if (binding.made_by == Binding::kInitializer) return "an initializer";
  return node_title(frame.nodes->Get(static_cast<int>(binding.made_by)), binding.made_by);
}

// Whether a new name would hide an outer one that it must not hide.
bool hides_outer(const std::string& name, const Scope& frame) {
  return frame.parent && frame.kind_of_parent != Scope::Parent::globals && frame.parent->find(name);
}

const char* shadowed(const Scope& frame) {
  return frame.kind_of_parent == Scope::Parent::extended ? "is also a name of the inference graph"
                                                         : "shadows a name of an outer graph";
}

std::string source_of(const pb::NodeProto& proto, const Scope& frame) {
  if (!proto.name().empty()) return frame.prefix + proto.name();
  return frame.prefix + proto.op_type() + (proto.output_size() > 0 ? " " + proto.output(0) : "");
}

// An attribute after following references, and the scope its graphs belong to.
struct Resolved {
  const pb::AttributeProto* proto = nullptr;  // null: left out
  const Scope* scope = nullptr;
};

const pb::AttributeProto* find_attribute(
    const google::protobuf::RepeatedPtrField<pb::AttributeProto>& list, const std::string& name) {
  for (const auto& a : list)
    if (a.name() == name) return &a;
  return nullptr;
}

bool is_parameter(const pb::FunctionProto& f, const std::string& name) {
  for (const std::string& parameter : f.attribute())
    if (parameter == name) return true;
  return find_attribute(f.attribute_proto(), name) != nullptr;
}

Resolved resolve_reference(const pb::AttributeProto& attribute, const Scope& frame) {
  Resolved r{&attribute, &frame};
  while (!r.proto->ref_attr_name().empty()) {
    const std::string& wanted = r.proto->ref_attr_name();
    const Call* call = r.scope->call;
    if (!call)
      throw OpError("bad-attribute", "",
                    "ref_attr_name " + quoted(wanted) + " outside of a function");
    if (holds_data(*r.proto))
      throw OpError("bad-attribute", "",
                    fmt::format("holds data together with ref_attr_name {}", quoted(wanted)));
    const pb::FunctionProto& f = *call->function->proto;
    if (!is_parameter(f, wanted))
      throw OpError("bad-attribute", "",
                    fmt::format("ref_attr_name {} is no parameter of {}", quoted(wanted),
                                call->function->title));
    if (const auto* given = find_attribute(call->node->attribute(), wanted)) {
      r = {given, call->caller};
      continue;
    }
    const auto* fallback = find_attribute(f.attribute_proto(), wanted);
    if (fallback && !fallback->ref_attr_name().empty())
      throw OpError("bad-attribute", "", "the default of " + quoted(wanted) + " is a reference");
    return {fallback, r.scope};
  }
  return r;
}

}  // namespace

// ---- graphs -------------------------------------------------------------------------------------

void GraphReader::read(const pb::GraphProto& proto, Scope& frame, bool is_main) {
  frame.graph->name = proto.name();
  frame.nodes = &proto.node();
  for (const auto& info : proto.value_info()) read_declared(info, "value_info", frame);
  for (const auto& info : proto.output()) read_declared(info, "output", frame);
  read_initializers(proto, frame);
  read_inputs(proto, frame, is_main);
  read_nodes(frame);
  read_outputs(proto, frame, is_main);
}

void GraphReader::read_declared(const pb::ValueInfoProto& proto, const std::string& field,
                                Scope& frame) {
  if (proto.name().empty() || !proto.has_type()) return;
  try {
    frame.declared[proto.name()] = import_type(proto.type(), proto.name(), context_);
  } catch (const OpError& e) {
    // An empty type gives no information about the value.
    if (proto.type().value_case() != pb::TypeProto::VALUE_NOT_SET)
      context_.error(e, frame.place + field + " " + quoted(proto.name()));
  }
}

void GraphReader::add_initializer(const std::string& name, int index, const char* list,
                                  Scope& frame, const std::function<Tensor()>& read) {
  if (name.empty())
    return context_.error("bad-name", frame.place + fmt::format("{} {}", list, index),
                          "has no name");
  const Location where = frame.place + fmt::format("{} {}", list, quoted(name));
  if (const auto own = frame.names.find(name); own != frame.names.end())
    return context_.error("duplicate-name", where,
                          "is given twice; it is also " + made_by(own->second, frame));
  if (hides_outer(name, frame)) return context_.error("duplicate-name", where, shadowed(frame));
  Binding binding{nullptr, Binding::kInitializer};
  try {
    binding.value = frame.graph->add_constant(value_name(name, frame), read());
  } catch (const OpError& e) {
    context_.error(e, where);
    binding.value = frame.graph->add_value(name);
  }
  if (const auto state = frame.state.find(name); state != frame.state.end()) {
    binding.value->state = state->second;
    context_.initial_state[state->second] = std::exchange(binding.value->constant, std::nullopt);
  }
  frame.names.emplace(name, binding);
}

void GraphReader::read_initializers(const pb::GraphProto& proto, Scope& frame) {
  for (int i = 0; i < proto.initializer_size(); ++i)
    add_initializer(proto.initializer(i).name(), i, "initializer", frame,
                    [&] { return import_tensor(proto.initializer(i), context_); });
  for (int i = 0; i < proto.sparse_initializer_size(); ++i) {
    const auto& sparse = proto.sparse_initializer(i);
    sparse_defaults_.insert(sparse.values().name());
    add_initializer(sparse.values().name(), i, "sparse_initializer", frame,
                    [&] { return to_dense(import_sparse_tensor(sparse, context_), context_); });
  }
}

void GraphReader::read_inputs(const pb::GraphProto& proto, Scope& frame, bool is_main) {
  for (int i = 0; i < proto.input_size(); ++i) read_input(proto.input(i), i, frame, is_main);
}

void GraphReader::read_defaulted_input(const std::string& name, Type type, Binding& binding,
                                       Scope& frame, bool is_main) {
  const Type& actual = binding.value->type;
  constexpr std::int64_t kFreeInitializers = 4;  // since this version no initializer is an input
  if (!is_main && context_.ir_version >= kFreeInitializers)
    return context_.error("duplicate-name", frame.place + "input " + quoted(name),
                          "is also an initializer of the subgraph");
  if (!compatible(type, actual))
    return context_.error(
        "bad-type", frame.place + "input " + quoted(name),
        fmt::format("is declared {}, its initializer is {}", type.to_string(), actual.to_string()));
  // A default in sparse form is constant, as in ONNX Runtime. What training changes is not an
  // input.
  if (sparse_defaults_.count(name) || binding.value->state >= 0) return;
  const bool named = is_main && context_.overridden_initializers.erase(name) != 0;
  if (!named && !(is_main && context_.overridden_initializers.count("*"))) return;
  binding.value->constant.reset();
  binding.made_by = Binding::kInput;
  frame.graph->inputs.push_back(binding.value);
}

// An algorithm that lists an input of the inference graph again reads that one.
bool GraphReader::repeats_outer_input(const std::string& name, const Type& type,
                                      const Location& where, const Scope& frame) {
  if (frame.kind_of_parent != Scope::Parent::extended) return false;
  const auto outer = frame.parent->names.find(name);
  if (outer == frame.parent->names.end()) return false;
  const Binding& binding = outer->second;
  if (binding.made_by != Binding::kInput)
    context_.error("duplicate-name", where,
                   "is also " + made_by(binding, *frame.parent) + " of the inference graph");
  else if (!compatible(type, binding.value->type))
    context_.error("bad-type", where,
                   fmt::format("is declared {}, the inference graph declares {}", type.to_string(),
                               binding.value->type.to_string()));
  else
    context_.diagnostics.warning("repeated-input", where,
                                 "is an input of the inference graph too; it is taken as the same");
  return true;
}

bool GraphReader::fix_input(const std::string& name, const Type& type, const Location& where,
                            Scope& frame) {
  const auto found = context_.fixed_inputs.find(name);
  if (found == context_.fixed_inputs.end()) return false;
  Binding binding{nullptr, Binding::kInitializer};
  try {
    binding.value = frame.graph->add_constant(name, fixed_input(found->second, type));
  } catch (const OpError& e) {
    context_.error(e, where);
    binding.value = frame.graph->add_value(name, type);
  }
  context_.fixed_inputs.erase(found);
  frame.names.emplace(name, binding);
  return true;
}

// An input with an initialiser is that constant, its default value, unless the caller overrides it.
void GraphReader::read_input(const pb::ValueInfoProto& proto, int index, Scope& frame,
                             bool is_main) {
  const std::string& name = proto.name();
  if (name.empty())
    return context_.error("bad-name", frame.place + fmt::format("input {}", index), "has no name");
  const Location where = frame.place + "input " + quoted(name);
  Type type;
  try {
    if (proto.has_type() && proto.type().value_case() != pb::TypeProto::VALUE_NOT_SET)
      type = import_type(proto.type(), name, context_);
    else if (is_main)
      context_.error("bad-type", where, "has no type");
  } catch (const OpError& e) {
    context_.error(e, where);
  }
  if (repeats_outer_input(name, type, where, frame)) return;
  const auto own = frame.names.find(name);
  if (own != frame.names.end() && own->second.made_by == Binding::kInitializer)
    return read_defaulted_input(name, std::move(type), own->second, frame, is_main);
  if (own != frame.names.end()) return context_.error("duplicate-name", where, "is given twice");
  if (is_main && fix_input(name, type, where, frame)) return;
  // An input of a subgraph may have the name of an outer value, which it hides.
  Value* value =
      frame.graph->add_value(frame.taken ? value_name(name, frame) : name, std::move(type));
  if (!is_main) value->declared = std::make_shared<const Type>(value->type);
  frame.graph->inputs.push_back(value);
  frame.names.emplace(name, Binding{value, Binding::kInput});
}

void GraphReader::read_nodes(Scope& frame) {
  context_.nodes += frame.nodes->size();
  if (context_.nodes > context_.limits.nodes) return;  // import_model reports it
  const NodeOrder order = node_order(frame);
  if (!order.cycle.empty())
    context_.error("cycle", frame.place + "graph", "cycle " + order.cycle);
  else if (!order.unsorted.empty())
    context_.diagnostics.warning("not-sorted", frame.place + "graph", order.unsorted);
  for (int i : order.indices) {
    const pb::NodeProto& node = frame.nodes->Get(i);
    if (!order.superseded.count(i))
      read_node(node, i, frame);
    else
      context_.diagnostics.warning(
          "duplicate-name", frame.place + node_title(node, i),
          fmt::format("another Constant node makes {} too; the last is used",
                      quoted(node.output(0))));
  }
}

// Of an output that is an input or an initializer. What the caller gets is of the declared
// elements, and has no other numbers where sizes are fixed, or the file is damaged.
void GraphReader::report_declared(const Type& declared, const Type& actual, const Location& where,
                                  bool is_main) {
  const std::string message =
      fmt::format("is declared {}, is {}", declared.to_string(), actual.to_string());
  Type open = declared;
  open.shape.reset();
  const bool fixed = declared.is_tensor() && actual.is_tensor() && declared.is_static() &&
                     actual.is_static() && declared.rank() == actual.rank();
  if (is_main && (fixed || !compatible(open, actual)))
    context_.error("bad-type", where, message);
  else
    context_.diagnostics.warning("declared-type", where, message + ", which counts");
}

void GraphReader::read_outputs(const pb::GraphProto& proto, Scope& frame, bool is_main) {
  std::map<std::string_view, int> seen;
  for (int i = 0; i < proto.output_size(); ++i) {
    const std::string& name = proto.output(i).name();
    const Location where = frame.place + "output " + quoted(name);
    if (name.empty()) {
      context_.error("bad-name", frame.place + fmt::format("output {}", i), "has no name");
      continue;
    }
    if (!seen.emplace(name, i).second && is_main)
      context_.error("duplicate-name", where, "is given twice");
    const Binding* binding = frame.find(name);
    if (!binding || !binding->value) {
      context_.error("undefined-name", where, "is not made by any node, input or initializer");
      continue;
    }
    const auto declared = frame.declared.find(name);
    if (binding->made_by < 0 && declared != frame.declared.end() &&
        !compatible(declared->second, binding->value->type))
      report_declared(declared->second, binding->value->type, where, is_main);
    frame.graph->outputs.push_back(binding->value);
  }
}

// ---- nodes --------------------------------------------------------------------------------------

Value* GraphReader::resolve(const std::string& name, std::int64_t node, std::size_t input,
                            Scope& frame) {
  if (name.empty()) return nullptr;
  if (const Binding* binding = frame.find(name)) return binding->value;
  const auto& proto = frame.nodes->Get(static_cast<int>(node));
  // A value of a later node is part of a cycle, which is already reported.
  if (!frame.makers.count(name))
    context_.error("undefined-name",
                   frame.place + fmt::format("{} ({}), input {} {}", node_title(proto, node),
                                             quoted(proto.op_type()), input, quoted(name)),
                   "is not made by any node, input or initializer");
  return frame.graph->add_value(frame.graph->fresh_name(name));
}

Value* GraphReader::define(const std::string& name, std::int64_t node, Scope& frame) {
  if (name.empty()) return nullptr;
  const Location where = frame.place + node_title(frame.nodes->Get(static_cast<int>(node)), node) +
                         ", output " + quoted(name);
  const auto own = frame.names.find(name);
  if (own != frame.names.end()) {
    context_.error("duplicate-name", where,
                   "is defined twice; it is also made by " + made_by(own->second, frame));
    return frame.graph->add_value(frame.graph->fresh_name(name));
  }
  if (hides_outer(name, frame)) context_.error("duplicate-name", where, shadowed(frame));
  const auto preset = frame.presets.find(name);
  const auto declared = frame.declared.find(name);
  Value* value = preset != frame.presets.end() ? preset->second
                                               : frame.graph->add_value(value_name(name, frame));
  if (declared != frame.declared.end()) {
    value->type = declared->second;
    value->declared = std::make_shared<const Type>(declared->second);
  }
  frame.names.emplace(name, Binding{value, node});
  return value;
}

void GraphReader::report_operator(const OpError& e, const Node& node, const Location& where) {
  if (e.id != "unknown-operator") return context_.error(e, where);
  Unknown& u = unknown_[node.domain + ":" + node.op_type];
  if (u.count++ == 0) {
    u.where = where;
    u.message = e.what();
  }
}

void GraphReader::finish() {
  for (const auto& [key, u] : unknown_)
    context_.error("unknown-operator", u.where,
                   u.count > 1 ? fmt::format("{} ({} nodes)", u.message, u.count) : u.message);
}

void GraphReader::read_node(const pb::NodeProto& proto, std::int64_t index, Scope& frame) {
  if (is_graph_call(proto)) return call_graph(proto, index, frame);
  auto node = std::make_unique<Node>();
  node->name = proto.name();
  node->op_type = proto.op_type();
  node->domain = proto.domain();
  node->index = static_cast<std::size_t>(index);
  node->sources = {source_of(proto, frame)};
  for (int i = 0; i < proto.input_size(); ++i)
    node->inputs.push_back(resolve(proto.input(i), index, static_cast<std::size_t>(i), frame));
  const std::string domain = proto.domain() == "ai.onnx" ? "" : proto.domain();
  if (const auto own = context_.user_operators.find(domain + "::" + proto.op_type());
      own != context_.user_operators.end()) {
    context_.found_user_operators.insert(*own);
    return read_user_node(proto, std::move(node), frame);
  }
  const Function* function = functions_.find(proto);
  bool good = true;
  if (!function) {
    try {
      resolve_operator(*node, *frame.opsets);
    } catch (const OpError& e) {
      report_operator(e, *node, frame.place + describe(*node));
      good = false;
    }
    good = good && read_attributes(proto, frame, *node) && read_named_values(*node, frame);
  }
  for (const std::string& name : proto.output())
    node->outputs.push_back(define(name, index, frame));
  node->devices = read_node_devices(proto, *node, frame, context_);
  if (function) return call(proto, *node, *function, frame);
  // Trailing inputs that are left out have no meaning.
  while (!node->inputs.empty() && !node->inputs.back()) node->inputs.pop_back();
  if (good) add_upgraded(std::move(node), *frame.graph, frame.place, context_);
}

void GraphReader::read_user_node(const pb::NodeProto& proto, std::unique_ptr<Node> node,
                                 Scope& frame) {
  node->op = ops::find("onnxc", "UserOperator");
  const bool good = read_attributes(proto, frame, *node);
  node->attributes["onnxc.function"] = proto.op_type();
  for (const std::string& name : proto.output())
    node->outputs.push_back(define(name, static_cast<std::int64_t>(node->index), frame));
  if (!good) return;
  if (const Function* function = functions_.find(proto)) {
    add_references(proto, *node, *function, frame);
    node->attributes["onnxc.references"] = static_cast<std::int64_t>(node->outputs.size());
  }
  GraphEditor(*frame.graph).adopt(std::move(node));
}

void GraphReader::add_references(const pb::NodeProto& proto, Node& node, const Function& function,
                                 Scope& frame) {
  Node reference;
  reference.name = node.name;
  reference.op_type = node.op_type;
  reference.domain = node.domain;
  reference.index = node.index;
  reference.sources = node.sources;
  for (Value* input : node.inputs) reference.inputs.push_back(input);
  for (const Value* output : node.outputs)
    reference.outputs.push_back(
        output ? frame.graph->add_value(frame.graph->fresh_name(output->name + "_reference"))
               : nullptr);
  call(proto, reference, function, frame);
  for (Value* output : reference.outputs) node.inputs.push_back(output);
}

bool GraphReader::read_attributes(const pb::NodeProto& proto, Scope& frame, Node& node) {
  bool good = true;
  for (const auto& attribute : proto.attribute()) {
    try {
      if (attribute.name().empty()) throw OpError("bad-attribute", "", "has no name");
      if (node.attributes.count(attribute.name()))
        throw OpError("bad-attribute", "", "is given twice");
      const Resolved resolved = resolve_reference(attribute, frame);
      if (!resolved.proto) continue;
      const auto body = [&](const pb::GraphProto& graph) {
        return read_body(graph, attribute.name(), node, *resolved.scope, frame);
      };
      node.attributes.emplace(attribute.name(), import_attribute(*resolved.proto, context_, body));
    } catch (const OpError& e) {
      context_.error(e, frame.place + describe(node) + ", attribute " + quoted(attribute.name()));
      good = false;
    }
  }
  return good;
}

bool GraphReader::read_named_values(Node& node, const Scope& frame) {
  bool good = true;
  for (const ops::AttributeSpec& spec : ops::signature(*node.op).attributes) {
    const Attribute* given = node.find(std::string(spec.name));
    if (!given || !ops::names_values(*node.op, spec.name)) continue;
    std::vector<std::string> names;
    if (const auto* list = std::get_if<std::vector<std::string>>(given)) names = *list;
    if (const auto* one = std::get_if<std::string>(given)) names = {*one};
    for (const std::string& name : names) {
      const Binding* binding = frame.find(name);
      if (binding && binding->value) {
        node.inputs.push_back(binding->value);
        continue;
      }
      good = false;
      context_.error("undefined-name",
                     frame.place + describe(node) +
                         fmt::format(", attribute {}", quoted(std::string(spec.name))),
                     quoted(name) + " is not made by any node, input or initializer");
    }
  }
  return good;
}

// `scope` is where the body was written, `here` the scope of the node that runs it.
std::shared_ptr<Graph> GraphReader::read_body(const pb::GraphProto& proto,
                                              const std::string& attribute, const Node& node,
                                              const Scope& scope, const Scope& here) {
  if (here.depth >= context_.limits.depth)
    throw OpError(
        "too-deep", "",
        fmt::format("subgraph depth is over the limit of {}; --max-depth", context_.limits.depth));
  auto graph = std::make_shared<Graph>();
  graph->parent = here.graph;
  Scope frame;
  frame.graph = graph.get();
  frame.parent = &scope;
  frame.opsets = scope.opsets;
  frame.call = scope.call;
  frame.prefix = here.prefix;
  frame.depth = here.depth + 1;
  frame.place = here.place + describe(node) + ", " + attribute + ", ";
  read(proto, frame, false);
  return graph;
}

// ---- functions ----------------------------------------------------------------------------------

// Functions leave out the domains of those that they call.
void GraphReader::check_domain_of_call(const pb::NodeProto& proto, const Location& where,
                                       const Scope& frame) {
  if (frame.opsets->count(canonical_domain(proto.domain()))) return;
  const std::string message =
      fmt::format("opset_import lacks the domain {}", quoted(proto.domain()));
  if (frame.call)
    context_.diagnostics.warning("bad-opset", where, message);
  else
    context_.error("bad-opset", where, message);
}

void GraphReader::call(const pb::NodeProto& proto, const Node& node, const Function& function,
                       const Scope& frame) {
  const pb::FunctionProto& f = *function.proto;
  const Location where = frame.place + describe(node);
  check_domain_of_call(proto, where, frame);
  for (const auto& a : proto.attribute())
    if (!is_parameter(f, a.name()))
      context_.error("unknown-attribute", where + ", attribute " + quoted(a.name()),
                     "is no parameter of " + function.title);
  if (proto.input_size() > f.input_size() || proto.output_size() > f.output_size())
    return context_.error(
        "bad-arity", where,
        fmt::format("{} inputs and {} outputs, {} takes {} and gives {}", proto.input_size(),
                    proto.output_size(), function.title, f.input_size(), f.output_size()));
  const Call call{&function, &proto, &frame, node.devices};
  Scope body;
  body.graph = frame.graph;
  body.nodes = &f.node();
  body.opsets = &function.opsets;
  body.call = &call;
  body.owns_graph = false;
  body.depth = frame.depth;
  body.prefix = node.sources[0] + "/";
  context_.calls.emplace(body.prefix, f.name());
  body.place = where + ", function " + function.title + ", ";
  for (int i = 0; i < f.input_size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    Value* value = at < node.inputs.size() ? node.inputs[at] : nullptr;
    if (!body.names.emplace(f.input(i), Binding{value, Binding::kInput}).second)
      context_.error("duplicate-name", body.place + "input " + quoted(f.input(i)),
                     "is given twice");
  }
  for (std::size_t i = 0; i < node.outputs.size(); ++i)
    if (node.outputs[i]) body.presets.emplace(f.output(static_cast<int>(i)), node.outputs[i]);
  read_nodes(body);
  connect_results(node, call, body);
}

// A result that no node of the body makes under its own name is a copy of another value.
void GraphReader::connect_results(const Node& node, const Call& call, Scope& body) {
  const pb::FunctionProto& f = *call.function->proto;
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    const std::string& name = f.output(static_cast<int>(i));
    const auto it = body.names.find(name);
    if (it == body.names.end() || !it->second.value) {
      context_.error("undefined-name", body.place + fmt::format("output {}", quoted(name)),
                     "is not made by any node of the function");
      continue;
    }
    if (!node.outputs[i] || it->second.value == node.outputs[i]) continue;
    Node& copy = GraphEditor(*body.graph).emit_as(node.outputs[i], "Identity", {it->second.value});
    copy.sources = node.sources;
    copy.devices = node.devices;
  }
}

}  // namespace onnxc::reader

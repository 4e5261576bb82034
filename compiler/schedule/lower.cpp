// Lowers nodes: buffers, steps, and the updates of the state.
#include "compiler/schedule/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/ir/nesting.hpp"
#include "compiler/ops/elementwise/elementwise.hpp"
#include "compiler/schedule/dynamic_sizes.hpp"
#include "compiler/support/checked.hpp"

namespace onnxc {
namespace {

class Lowering {
 public:
  Lowering(const Graph& graph, const CompileOptions& options, const Target& target,
           Diagnostics& diagnostics, const State& state, const TrainingEntry* entry)
      : graph_(graph),
        options_(options),
        target_(target),
        diagnostics_(diagnostics),
        state_(state),
        entry_(entry),
        sizes_(graph, program_) {
    program_.alignment = target.alignment;
  }

  Program run() {
    if (!check_types()) return std::move(program_);
    if (entry_) sizes_.define_draw();
    add_ports();
    program_.input_relations = sizes_.checkable();
    for (const auto& node : graph_.nodes) lower(*node);
    connect_outputs();
    if (entry_) store_updates();
    if (!diagnostics_.has_errors()) sizes_.check_all(diagnostics_);
    return std::move(program_);
  }

 private:
  // Every value that a kernel reads or writes must be a tensor of a known rank.
  bool check_types() {
    for (const Value* v : graph_.inputs) check(*v, "graph input");
    check_nodes(graph_);
    return !diagnostics_.has_errors();
  }

  void check_nodes(const Graph& graph) {
    for (const auto& node : graph.nodes) {
      for (const Value* v : node->outputs)
        if (v) check(*v, describe(*node));
      each_subgraph(*node, [&](const Graph& g) { check_nodes(g); });
    }
  }

  void check(const Value& v, const std::string& where) {
    if (v.type.kind == Type::Kind::unknown)
      diagnostics_.error("unknown-type", fmt::format("{}, {}", where, quoted(v.name)),
                         "its type could not be inferred");
    if (!is_supported(v.type))
      diagnostics_.error("unsupported-type", fmt::format("{}, {}", where, quoted(v.name)),
                         v.type.to_string() + " is nested too deep, or a map of containers");
  }

  // ValueType of the runtime supports up to three containers around a tensor.
  static bool is_supported(const Type& type) {
    int depth = 0;
    for (const Type* t = &type; t->element; t = t->element.get(), ++depth)
      if (t->kind == Type::Kind::map && t->element->element) return false;
    return depth <= 3;
  }

  // Kernels take tensors of a known rank, unless the operator takes objects.
  static const Value* misplaced(const Node& node) {
    const ops::Signature& signature = ops::signature(*node.op);
    // Operators on containers also take tensors of any rank.
    for (const auto* formals : {&signature.inputs, &signature.outputs})
      for (const ops::Formal& formal : *formals)
        if (formal.container != Type::Kind::tensor) return nullptr;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const ops::Formal* formal = signature.input(i);
      if (node.inputs[i] && is_object(*node.inputs[i]) && !(formal && takes_objects(*formal)))
        return node.inputs[i];
    }
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      const ops::Formal* formal = signature.output(i);
      if (node.outputs[i] && is_object(*node.outputs[i]) && !(formal && takes_objects(*formal)))
        return node.outputs[i];
    }
    return nullptr;
  }
  static bool takes_objects(const ops::Formal& formal) {
    return formal.var.empty() || formal.container != Type::Kind::tensor;
  }
  static bool is_object(const Value& v) { return !v.type.is_tensor() || !v.type.has_rank(); }

  BufferId add_buffer(const Value& v, Buffer::Kind kind) {
    Buffer b;
    b.kind = kind;
    b.name = v.name;
    b.elem = v.type.elem;
    b.type = v.type;
    if (is_object(v))
      b.kind = Buffer::Kind::object;
    else
      b.shape = stored_shape(*v.type.shape, v.layout);
    b.value = &v;
    program_.buffers.push_back(std::move(b));
    const auto id = static_cast<BufferId>(program_.buffers.size() - 1);
    buffers_[&v] = id;
    return id;
  }

  void add_ports() {
    for (const Value* v : graph_.inputs)
      program_.inputs.push_back(add_buffer(*v, Buffer::Kind::input));
    for (const auto& v : graph_.values)
      if (v->state >= 0) buffers_[v.get()] = variable(v->state);
    // A result may be listed twice, or be an input or a constant: such results are copied at the
    // end.
    const std::size_t free = entry_ ? entry_->free_outputs() : graph_.outputs.size();
    for (std::size_t i = 0; i < free; ++i) {
      const Value* v = graph_.outputs[i];
      if (is_object(*v)) {
        if (!buffers_.count(v)) add_buffer(*v, Buffer::Kind::object);
        program_.outputs.push_back(buffers_.at(v));
        continue;
      }
      // If the inputs define the sizes, the caller's memory can be used; otherwise they are known
      // too late.
      const bool direct = v->producer && !v->constant && !buffers_.count(v) &&
                          std::all_of(v->type.shape->begin(), v->type.shape->end(),
                                      [this](const Dim& d) { return sizes_.is_defined(d); });
      if (direct) {
        program_.outputs.push_back(add_buffer(*v, Buffer::Kind::output));
        if (entry_) program_.at(program_.outputs.back()).absent = Buffer::Absent::arena;
        continue;
      }
      Buffer b;
      b.kind = Buffer::Kind::output;
      if (entry_) b.absent = Buffer::Absent::skipped;
      b.name = v->name;
      b.elem = v->type.elem;
      b.shape = *v->type.shape;
      program_.buffers.push_back(std::move(b));
      program_.outputs.push_back(static_cast<BufferId>(program_.buffers.size() - 1));
      copied_.emplace_back(v, program_.outputs.back());
    }
    for (const auto& node : graph_.nodes)
      for (const Value* v : node->outputs)
        if (v && !buffers_.count(v)) add_buffer(*v, Buffer::Kind::arena);
    make_views(graph_);
  }

  // The buffer of a state variable.
  BufferId variable(int index) {
    const auto [it, fresh] = variables_.emplace(index, -1);
    if (fresh) {
      program_.buffers.push_back(state_buffer(state_, index));
      it->second = static_cast<BufferId>(program_.buffers.size() - 1);
    }
    return it->second;
  }

  // Values that are computed inside the result of a Concat are views of it.
  void make_views(const Graph& graph) {
    for (const auto& node : graph.nodes)
      for (const Value* v : node->outputs) {
        if (!v || !v->view_of) continue;
        if (!buffers_.count(v->view_of)) add_buffer(*v->view_of, Buffer::Kind::arena);
        Buffer& part = program_.at(buffers_.at(v));
        part.view_of = buffers_.at(v->view_of);
        if (program_.bytes(part.view_of).is(0)) continue;  // its parts have no place in it
        part.view_offset =
            Dim(v->channel_offset) * Dim(static_cast<std::int64_t>(storage_bytes(part.elem)));
      }
  }

  // Loops keep the memory of their state separate from the results of an iteration, so the values
  // of a subgraph are ordinary buffers. Parents of views are unchanged: an outer output is the
  // caller's. `first`: the first step of the node around the subgraph.
  void lower_nested(const Graph& graph, std::size_t first) {
    sizes_.enter(graph, first);
    for (const auto& node : graph.nodes)
      for (const Value* v : node->outputs)
        if (v && !buffers_.count(v)) add_buffer(*v, Buffer::Kind::arena);
    make_views(graph);
    for (const auto& node : graph.nodes) lower(*node);
    sizes_.leave();
  }

  void lower(const Node& node) {
    const std::size_t first = program_.steps.size();
    const auto report = [&](const std::string& id, const std::string& field, const char* what) {
      diagnostics_.error(id, describe(node) + (field.empty() ? "" : ", " + field), what);
    };
    try {
      if (const Value* v = misplaced(node)) {
        const std::string what = v->type.is_tensor() ? "its rank is known only at run time"
                                                     : v->type.to_string() + " is not taken here";
        diagnostics_.error(v->type.is_tensor() ? "dynamic-dim" : "unsupported",
                           describe(node) + fmt::format(", {}", quoted(v->name)), what);
        return;
      }
      ops::Lower n(node, program_, buffers_, options_, target_,
                   [this, first](const Graph& g) { lower_nested(g, first); });
      if (node.op->lower)
        node.op->lower(n);
      else if (node.op->scalar)
        ops::lower_map(n);
      else
        n.unsupported("", "the operator is not supported yet");
    } catch (const OpError& e) {
      report(e.id, e.field, e.what());
    } catch (const SymbolicExtent& e) {
      report("dynamic-dim", "", e.what());
    } catch (const OverflowError& e) {
      report("overflow", "", e.what());
    }
    sizes_.follow(first);
  }

  // The first step that uses a buffer, if it is in no branch and no loop; nullopt otherwise, and
  // for a step that takes the memory itself.
  std::optional<std::size_t> first_use(BufferId id) const {
    for (std::size_t i = 0; i < program_.steps.size(); ++i) {
      const Step& step = program_.steps[i];
      bool used = false;
      Program::each_buffer(step, [&](BufferId b) { used = used || program_.root(b).first == id; });
      if (!used) continue;
      if (step.kind != Step::Kind::call || Nesting(program_).is_nested(i)) return std::nullopt;
      return i;
    }
    return std::nullopt;
  }

  bool has_blocks_of(BufferId id) const {
    for (const Step& step : program_.steps)
      for (const Arg& arg : step.args)
        if (const auto* b = std::get_if<BufferArg>(&arg.value); b && b->as_block && b->buffer == id)
          return true;
    return false;
  }

  // A result whose sizes are determined by steps before another one computes it is written into the
  // caller's memory: `output`, which was meant for a copy, is not needed.
  bool write_straight(const Value& value, BufferId output) {
    const auto found = buffers_.find(&value);
    if (entry_ || found == buffers_.end() || value.constant) return false;
    const BufferId id = found->second;
    Buffer& b = program_.at(id);
    if (b.kind != Buffer::Kind::arena || b.view_of >= 0 || b.allocated_by_steps ||
        value.layout != Layout::plain || has_blocks_of(id))
      return false;
    const auto first = first_use(id);
    if (!first || !sizes_.is_known_before(b.shape, *first)) return false;
    b.kind = Buffer::Kind::output;
    std::replace(program_.outputs.begin(), program_.outputs.end(), output, id);
    program_.at(output).kind = Buffer::Kind::arena;
    open_output(id, *first);
    return true;
  }

  void open_output(BufferId output, std::size_t at) {
    Step open;
    open.kind = Step::Kind::allocate;
    open.buffer = output;
    program_.steps.insert(program_.steps.begin() + static_cast<std::ptrdiff_t>(at),
                          std::move(open));
  }

  void connect_outputs() {
    for (const auto& [value, output] : copied_) {
      if (write_straight(*value, output)) continue;
      if (!std::all_of(value->type.shape->begin(), value->type.shape->end(),
                       [this](const Dim& d) { return sizes_.is_input_extent(d); }))
        open_output(output, program_.steps.size());
      copy("copy_" + value->name, source_of(*value), output);
    }
  }

  BufferId source_of(const Value& value) {
    if (const auto found = buffers_.find(&value); found != buffers_.end()) return found->second;
    const BufferId id = add_buffer(value, Buffer::Kind::constant);
    program_.at(id).constant = *value.constant;
    return id;
  }

  void copy(const std::string& name, BufferId from, BufferId to) {
    Step step;
    step.name = name;
    step.kernel = "copy";
    step.title = "Copy";
    step.params = {{"count", product(program_.at(from).shape)}};
    step.args = {{BufferArg{from, false}}, {BufferArg{to, true}}};
    program_.steps.push_back(std::move(step));
  }

  // ---- state --------------------------------------------------------------------------------

  // All bindings take effect at once: what is read from the state is copied before any of it
  // changes.
  void store_updates() {
    std::vector<std::pair<BufferId, BufferId>> stores;
    for (std::size_t i = 0; i < entry_->updates.size(); ++i) {
      const Value& value = *graph_.outputs[entry_->free_outputs() + i];
      const int index = entry_->updates[i];
      if (!check_update(value, index)) continue;
      const BufferId to = variable(index);
      BufferId from = source_of(value);
      if (from == to) continue;
      if (program_.at(program_.root(from).first).kind == Buffer::Kind::state) from = saved(from);
      stores.emplace_back(from, to);
    }
    for (const auto& [from, to] : stores) {
      copy("update_" + program_.at(to).name, from, to);
      program_.steps.back().title = "Update " + program_.at(to).name;
      program_.steps.back().is_update = true;
    }
  }

  bool check_update(const Value& value, int index) {
    const StateVariable& v = state_.variables[static_cast<std::size_t>(index)];
    const Type type = Type::tensor(v.initial.elem(), to_shape(v.initial.dims()));
    if (value.type == type) return true;
    const bool init = entry_->kind == TrainingEntry::Kind::initialization;
    diagnostics_.error(
        "bad-binding",
        fmt::format("training_info {}, {}, key {}", entry_->info,
                    init ? "initialization_binding" : "update_binding", quoted(v.name)),
        fmt::format("is {}, its new value {} is {}", type.to_string(), quoted(value.name),
                    value.type.to_string()));
    return false;
  }

  BufferId saved(BufferId from) {
    Buffer b = program_.at(from);
    b.kind = Buffer::Kind::arena;
    b.name += "_before";
    b.view_of = -1;
    b.offset = -1;
    program_.buffers.push_back(std::move(b));
    const auto id = static_cast<BufferId>(program_.buffers.size() - 1);
    copy("save_" + program_.at(from).name, from, id);
    return id;
  }

  const Graph& graph_;
  const CompileOptions& options_;
  const Target& target_;
  Diagnostics& diagnostics_;
  const State& state_;
  const TrainingEntry* entry_;
  Program program_;
  DynamicSizes sizes_;
  std::map<const Value*, BufferId> buffers_;
  std::vector<std::pair<const Value*, BufferId>> copied_;
  std::map<int, BufferId> variables_;  // of the state that the program uses
};

}  // namespace

Program lower_graph(const Graph& graph, const CompileOptions& options, const Target& target,
                    Diagnostics& diagnostics, const State& state, const TrainingEntry* entry) {
  return Lowering(graph, options, target, diagnostics, state, entry).run();
}

Program lower_graph(const Graph& graph, const CompileOptions& options, const Target& target,
                    Diagnostics& diagnostics) {
  return lower_graph(graph, options, target, diagnostics, {}, nullptr);
}

}  // namespace onnxc

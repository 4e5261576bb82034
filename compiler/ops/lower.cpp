// Buffers, steps and epilogues of a node.
#include "compiler/ops/lower.hpp"

#include <algorithm>

#include "compiler/ir/layout.hpp"
#include "compiler/kernels/sequence_calls.hpp"
#include "compiler/kernels/shape_struct.hpp"

namespace onnxc::ops {

namespace {

// "Conv + Relu"
std::string title(const Node& node) {
  std::string s(node.op->name);
  if (node.op->domain == "onnxc" && !node.op_type.empty()) s = node.op_type;
  bool first = node.op->name == "Map";
  if (first) s.clear();
  for (const ScalarStep& step : node.body) {
    s += (first ? "" : " + ") + std::string(step.op->name);
    first = false;
  }
  return s;
}

std::string shape_note(const Node& node) {
  std::string s;
  if (!node.inputs.empty() && node.inputs[0] && node.inputs[0]->type.shape)
    s = to_string(*node.inputs[0]->type.shape);
  if (!node.outputs.empty() && node.outputs[0] && node.outputs[0]->type.shape)
    s += " -> " + to_string(*node.outputs[0]->type.shape);
  return s;
}

Dim first_elements(const std::vector<Value*>& values) {
  const bool known = !values.empty() && values[0] && values[0]->type.shape;
  return known ? product(*values[0]->type.shape) : Dim(0);
}

// The last path part of a model's name: "/encoder/layer.0/Add_output_0" -> "Add_output_0".
std::string last_part(const std::string& name) {
  const std::size_t slash = name.find_last_of("/:");
  return slash == std::string::npos || slash + 1 == name.size() ? name : name.substr(slash + 1);
}

}  // namespace

Lower::Lower(const Node& node, Program& program, std::map<const Value*, BufferId>& buffers,
             const CompileOptions& options, const Target& target, LowerGraph lower_graph)
    : NodeView(node),
      program_(&program),
      buffers_(&buffers),
      options_(&options),
      target_(&target),
      lower_graph_(std::move(lower_graph)) {
  step_name_ = last_part(node.name);
  for (const Value* v : node.outputs)
    if (step_name_.empty() && v) step_name_ = last_part(v->name);
}

Dim Lower::pitch_of(const Value& value) {
  const Value* v = &value;
  while (v->view_of) v = v->view_of;
  return (*v->type.shape)[1];
}

Call Lower::call(KernelName kernel) {
  Step step;
  step.name = step_name_;
  step.kernel = kernel;
  step.sources = node().sources;
  step.title = title(node());
  step.shape_note = shape_note(node());
  step.inputs = first_elements(node().inputs);
  step.outputs = first_elements(node().outputs);
  program_->steps.push_back(std::move(step));
  return {*this, program_->steps.size() - 1};
}

Arg Lower::input_arg(std::size_t i) {
  return has_input(i) ? read_arg(in(i)) : null_arg(absent_elem(i, false), false);
}

Arg Lower::output_arg(std::size_t i) {
  return has_output(i) ? write_arg(out(i)) : null_arg(absent_elem(i, true), true);
}

Dim Lower::macs() const { return node().op->macs(node()).value(); }

std::optional<Arg> Lower::fused_body() {
  if (node().body.empty()) return std::nullopt;
  return Arg{epilogue_lambda()};
}

BufferId Lower::in(std::size_t i) { return buffer_of(input_value(i)); }

BufferId Lower::buffer_of(const Value& v) {
  const auto found = buffers_->find(&v);
  if (found != buffers_->end()) return found->second;
  if (!v.constant) throw std::logic_error("input has no buffer: " + v.name);
  Buffer b;
  b.kind = Buffer::Kind::constant;
  b.name = last_part(v.name);
  b.elem = v.constant->elem();
  b.shape = to_shape(v.constant->dims());
  b.value = &v;
  b.constant = *v.constant;
  program_->buffers.push_back(std::move(b));
  return (*buffers_)[&v] = static_cast<BufferId>(program_->buffers.size() - 1);
}

BufferId Lower::out(std::size_t i) { return buffers_->at(&output_value(i)); }

BufferId Lower::constant(Tensor tensor, const std::string& role) {
  Buffer b;
  b.kind = Buffer::Kind::constant;
  b.name = step_name_ + "_" + role;
  b.elem = tensor.elem();
  b.shape = to_shape(tensor.dims());
  b.constant = std::move(tensor);
  program_->buffers.push_back(std::move(b));
  return static_cast<BufferId>(program_->buffers.size() - 1);
}

BufferId Lower::scratch(ElemType elem, const Dim& count, const std::string& role) {
  Buffer b;
  b.name = step_name_ + "_" + role;
  b.elem = elem;
  b.shape = {count};
  program_->buffers.push_back(std::move(b));
  return static_cast<BufferId>(program_->buffers.size() - 1);
}

BufferId Lower::thread_scratch(ElemType elem, const Dim& count, const std::string& role) {
  const BufferId id = scratch(elem, count, role);
  program_->at(id).per_thread = true;
  return id;
}

ElemType Lower::absent_elem(std::size_t i, bool output) const {
  const Signature& s = signature(*node().op);
  const Formal* formal = output ? s.output(i) : s.input(i);
  if (!formal || formal->var.empty()) return ElemType::undefined;
  const auto bound = [&](const std::vector<Value*>& values, const auto& formal_of) {
    for (std::size_t k = 0; k < values.size(); ++k) {
      const Formal* other = formal_of(k);
      if (values[k] && other && other->var == formal->var) return values[k]->type.elem;
    }
    return ElemType::undefined;
  };
  ElemType elem = bound(node().inputs, [&](std::size_t k) { return s.input(k); });
  if (elem == ElemType::undefined)
    elem = bound(node().outputs, [&](std::size_t k) { return s.output(k); });
  return elem == ElemType::undefined ? elem_type_from_name(formal->var) : elem;
}

void Lower::view(BufferId part, BufferId whole, const Dim& byte_offset) {
  Buffer& b = program_->at(part);
  if (b.kind != Buffer::Kind::arena || b.view_of >= 0)
    throw std::logic_error("only a buffer of the arena can become a view");
  b.view_of = whole;
  b.view_offset = byte_offset;
}

void Lower::open(Step::Kind kind, BufferId condition, BufferId counter, BufferId trips) {
  Step step;
  step.kind = kind;
  step.condition = condition;
  step.counter = counter;
  step.trips = trips;
  if (kind == Step::Kind::open_if || kind == Step::Kind::open_loop) {
    step.sources = node().sources;
    step.title = node().op_type;
  }
  program_->steps.push_back(std::move(step));
}

void Lower::set_sizes(std::vector<std::pair<Dim, Dim>> symbols) {
  Step step;
  step.kind = Step::Kind::set;
  for (auto& [symbol, value] : symbols) {
    const auto name = symbol.as_symbol();
    if (!name) throw std::logic_error("only a symbol can be set: " + symbol.to_string());
    if (!(symbol == value)) step.sets.emplace_back(*name, std::move(value));
  }
  if (!step.sets.empty()) program_->steps.push_back(std::move(step));
}

void Lower::allocate(BufferId buffer) {
  program_->at(buffer).allocated_by_steps = true;
  Step step;
  step.kind = Step::Kind::allocate;
  step.buffer = buffer;
  program_->steps.push_back(std::move(step));
}

void Lower::check_sizes(std::vector<Relation> relations) {
  if (relations.empty()) return;
  Step step;
  step.kind = Step::Kind::check;
  step.relations = std::move(relations);
  program_->steps.push_back(std::move(step));
}

void Lower::lower_body(const Graph& body) { lower_graph_(body); }

BufferId Lower::scratch_like(const Type& type, const std::string& role) {
  if (type.is_tensor() && type.shape) {
    const BufferId id = scratch(type.elem, 1, role);
    program_->at(id).shape = *type.shape;
    return id;
  }
  Buffer b;
  b.kind = Buffer::Kind::object;
  b.name = step_name_ + "_" + role;
  b.type = type;
  program_->buffers.push_back(std::move(b));
  return static_cast<BufferId>(program_->buffers.size() - 1);
}

void Lower::copy(BufferId from, BufferId to) {
  const Shape from_shape = program_->at(from).shape, to_shape = program_->at(to).shape;
  if (is_object(from) && is_object(to)) {
    call("copy_value").read(from).write(to);
    return;
  }
  if (is_object(to)) {
    call("box_value", TensorDimsShape<Dim>{rank_of(from_shape), from_shape}).read(from).write(to);
    return;
  }
  if (is_object(from)) {
    call("value_extents", ValueExtentsShape<Dim>{rank_of(to_shape)}).read(from).extents(to_shape);
    call("unbox_value").read(from).write(to);
    return;
  }
  call("copy", CountShape<Dim>{product(program_->at(to).shape)}).divisible().read(from).write(to);
}

void Lower::alias(std::size_t output, std::size_t input) {
  const BufferId to = out(output), from = in(input);
  if (is_object(to) || is_object(from)) return copy(from, to);
  if (program_->at(to).kind == Buffer::Kind::arena) {
    view(to, from, 0);
    return;
  }
  // The output is the caller's memory. The producer of its source may write there directly, unless
  // the source is itself the caller's memory, a constant, or a view.
  const auto [root, offset] = program_->root(from);
  if (program_->at(root).kind == Buffer::Kind::arena && offset.is(0) &&
      program_->bytes(root) == program_->bytes(to)) {
    view(root, to, 0);
    return;
  }
  copy(from, to);
}

const Shape& Lower::out_shape(std::size_t output) const {
  const Value& v = output_value(output);
  if (!v.type.shape)
    throw OpError("dynamic-dim", quoted(v.name), "its rank is known only at run time");
  return *v.type.shape;
}
ElemType Lower::out_elem(std::size_t output) const { return output_value(output).type.elem; }
bool Lower::channels_last() const { return output_value(0).layout == Layout::channels_last; }
Shape Lower::stored(std::size_t input) const {
  return stored_shape(shape(input), input_value(input).layout);
}
Shape Lower::out_stored(std::size_t output) const {
  return stored_shape(out_shape(output), output_value(output).layout);
}

std::size_t Lower::stored_axis(std::size_t logical_axis, std::size_t rank) const {
  if (!channels_last() || rank < 3 || logical_axis == 0) return logical_axis;
  return logical_axis == 1 ? rank - 1 : logical_axis - 1;
}

std::size_t Lower::own_input_count() const { return input_count() - node().body_inputs; }

Lambda Lower::epilogue_lambda() {
  Lambda f;
  f.form = Lambda::Form::epilogue;
  std::map<int, int> parameter_of;  // input of the node -> parameter of the lambda
  const Shape out = out_stored(0);
  const auto capture = [&](int input) {
    const auto at = static_cast<std::size_t>(input);
    const Dim size = product(shape(at));
    Lambda::Capture c;
    c.buffer = in(at);
    c.read = size == product(out) ? Lambda::Read::element
             : size.is(1)         ? Lambda::Read::scalar
                                  : Lambda::Read::channel;
    f.captures.push_back(c);
    return static_cast<int>(f.captures.size());
  };
  for (const ScalarStep& step : node().body) {
    LambdaCall call;
    call.fn = scalar_of(step);
    for (int operand : step.operands) {
      if (operand == ScalarStep::kAccumulator)
        operand = 0;
      else if (operand >= 0) {
        const auto [it, fresh] = parameter_of.emplace(operand, 0);
        if (fresh) it->second = capture(operand);
        operand = it->second;
      }
      call.operands.push_back(operand);
    }
    f.vectorises = f.vectorises && call.fn.vectorises;
    f.calls.push_back(std::move(call));
  }
  return f;
}

ScalarFn scalar_of(const ScalarStep& step) {
  Node n;
  n.op = step.op;
  n.attributes = step.attributes;
  return step.op->scalar(n);
}

}  // namespace onnxc::ops

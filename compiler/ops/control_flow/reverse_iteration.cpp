// Builds the Scan that visits the iterations of a Loop or Scan in reverse.
#include "compiler/ops/control_flow/reverse_iteration.hpp"

#include <algorithm>
#include <set>

#include "compiler/ir/clone.hpp"
#include "compiler/ir/editor.hpp"
#include "compiler/ir/graph.hpp"
#include "compiler/ops/control_flow/body.hpp"
#include "compiler/ops/control_flow/scan_output.hpp"
#include "compiler/ops/random/seed.hpp"

namespace onnxc::ops {
namespace {

// The values that the outputs of a body are computed from.
std::set<const Value*> live_values(const Graph& body) {
  std::set<const Value*> live;
  std::vector<const Value*> open(body.outputs.begin(), body.outputs.end());
  while (!open.empty()) {
    const Value* v = open.back();
    open.pop_back();
    if (!v || !live.insert(v).second || !v->producer) continue;
    for (const Value* operand : operands_of(*v->producer)) open.push_back(operand);
  }
  return live;
}

std::shared_ptr<Graph> copy_of(Graph& body, Graph& parent) {
  keep_streams(body);
  return copy_graph(body, parent, {});
}

class ReverseIteration {
 public:
  ReverseIteration(Gradient& n, const Iteration& iteration)
      : n_(n),
        it_(iteration),
        forward_(n.attr_graph("body")),
        body_(copy_of(forward_, n.builder().graph())),
        inputs_(body_->inputs),
        outputs_(body_->outputs) {
    body_->inputs.clear();
    body_->outputs.clear();
    inner_ = n.builder().inside(*body_);
  }

  void run() {
    for (std::size_t i = 0; i < it_.states; ++i) add_state(i);
    for (std::size_t j = it_.states; it_.body_output + j < outputs_.size(); ++j) add_slice(j);
    choose_operands();
    const auto gradients = inner_->vjp(cotangents_, xs_);
    std::size_t next = 0;
    for (Value* v : states_) close_state(v, gradients[next++]);
    for (Value* v : captured_) accumulate(v, gradients[next++]);
    for (std::size_t k : scanned_inputs_) emit_slices(k, gradients[next++]);
    body_->outputs = joined(carried_out_, slices_out_);
    read_forward_values();
    finish();
  }

 private:
  static std::vector<Value*> joined(std::vector<Value*> a, const std::vector<Value*>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }

  Value* new_input(const Type& type) { return body_->add_value(body_->fresh_name("grad"), type); }

  void scan(Value* slice, Value* whole, std::int64_t axis, std::int64_t direction) {
    slices_in_.push_back(slice);
    scanned_.push_back(whole);
    axes_.push_back(axis);
    directions_.push_back(direction);
  }

  // The gradient of a state is the state of the backward loop.
  void add_state(std::size_t i) {
    Value* const state = inputs_[it_.body_input + i];
    if (!is_differentiable(state->type)) return;
    Value* const next = outputs_[it_.body_output + i];
    Value* const gradient = new_input(next->type);
    carried_in_.push_back(gradient);
    const auto zeros = [&] {
      return n_.builder().filled(0, is_alike(i) ? n_.x(it_.first_input + i) : n_.y(i));
    };
    carried_start_.push_back(n_.has_dy(i) ? n_.dy(i) : zeros());
    state_numbers_.push_back(i);
    states_.push_back(state);
    cotangents_.push_back({next, gradient});
  }

  // The gradient of a scan output comes in slices.
  void add_slice(std::size_t j) {
    if (!n_.has_dy(j)) return;
    Value* const made = outputs_[it_.body_output + j];
    if (is_tape(n_, j)) {
      cotangents_.push_back({made, inner_->emit("SequenceAt", {n_.dy(j), number()})});
      return;
    }
    Value* const gradient = new_input(made->type);
    const std::size_t k = j - it_.states;
    scan(gradient, n_.dy(j), it_.output_axes[k], 1 - it_.output_directions[k]);
    cotangents_.push_back({made, gradient});
  }

  void choose_operands() {
    for (Value* v : captured_values(n_.node()))
      if (n_.wants(*v)) captured_.push_back(v);
    for (std::size_t k = 0; k < it_.input_axes.size(); ++k)
      if (n_.wants(it_.first_input + it_.states + k)) scanned_inputs_.push_back(k);
    xs_ = joined(states_, captured_);
    for (std::size_t k : scanned_inputs_) xs_.push_back(scan_input(k));
  }

  Value* scan_input(std::size_t k) const { return inputs_[it_.body_input + it_.states + k]; }

  void close_state(Value* state, Value* gradient) {
    carried_out_.push_back(gradient ? gradient : inner_->filled(0, state).value);
  }

  void accumulate(Value* captured, Value* gradient) {
    Value* const sum = new_input(captured->type);
    carried_in_.push_back(sum);
    carried_start_.push_back(n_.builder().filled(0, captured));
    carried_out_.push_back(gradient ? inner_->term(sum) + inner_->term(gradient)
                                    : inner_->emit("Identity", {sum}));
  }

  void emit_slices(std::size_t k, Value* gradient) {
    slices_out_.push_back(gradient ? gradient : inner_->filled(0, scan_input(k)).value);
    out_axes_.push_back(it_.input_axes[k]);
    out_directions_.push_back(1 - it_.input_directions[k]);
  }

  // What an iteration is computed from again: scan inputs, the state before it, its number.
  void read_forward_values() {
    const std::set<const Value*> live = live_values(*body_);
    for (std::size_t k = 0; k < it_.input_axes.size(); ++k)
      scan(scan_input(k), n_.x(it_.first_input + it_.states + k), it_.input_axes[k],
           1 - it_.input_directions[k]);
    std::vector<std::size_t> stacked, taped;
    for (std::size_t i = 0; i < it_.states; ++i)
      if (live.count(inputs_[it_.body_input + i]) > 0)
        (is_alike(i) ? stacked : taped).push_back(it_.body_input + i);
    if (!taped.empty()) number();
    // The index of an iteration also determines how many there are.
    if (it_.body_input > 0) stacked.push_back(0);
    const auto stacks = keep(stacked, false), tapes = keep(taped, true);
    for (std::size_t k = 0; k < stacked.size(); ++k) scan(inputs_[stacked[k]], stacks[k], 0, 1);
    for (std::size_t k = 0; k < taped.size(); ++k)
      on_tape_.push_back({inputs_[taped[k]], tapes[k]});
    if (it_.body_input > 1) set_condition(*inputs_[1]);
  }

  // Whether a state is a tensor of one shape in all iterations.
  bool is_alike(std::size_t i) const {
    const Type& before = n_.input(it_.first_input + i);
    const Type& state = inputs_[it_.body_input + i]->type;
    return state.is_tensor() && state.has_rank() && before.shape == state.shape &&
           outputs_[it_.body_output + i]->type.shape == state.shape;
  }

  // Which iteration it is, counted as on the way there; a scan input.
  Value* number() {
    if (number_) return number_;
    if (it_.body_input > 0) return number_ = inputs_[0];
    NodeBuilder& b = n_.builder();
    const Term count = extent_of(n_.x(it_.first_input + it_.states), it_.input_axes[0]);
    number_ = new_input(Type::tensor(ElemType::int64, Shape{}));
    scan(number_, b.emit("Range", {b.integer(0), count, b.integer(1)}), 0, 1);
    return number_;
  }

  // Inputs of the forward body in all iterations, as further outputs of the forward node.
  std::vector<Value*> keep(const std::vector<std::size_t>& body_inputs, bool on_tape) {
    if (body_inputs.empty()) return {};
    Node& node = const_cast<Node&>(n_.node());
    node.outputs.resize(forward_.outputs.size() - it_.body_output);
    for (std::size_t i : body_inputs) {
      if (on_tape) make_tape(node, forward_.outputs.size() - it_.body_output);
      forward_.outputs.push_back(forward_.inputs[i]);
    }
    for (const char* name : {"scan_output_axes", "scan_output_directions"})
      if (auto it = node.attributes.find(name); it != node.attributes.end())
        std::get<std::vector<std::int64_t>>(it->second).resize(out_count(), 0);
    return n_.builder().more_outputs(node, body_inputs.size());
  }

  // Of scan outputs of the forward node.
  std::size_t out_count() const { return forward_.outputs.size() - it_.body_output - it_.states; }

  // Every iteration that was run had a true condition.
  static void set_condition(Value& v) {
    const bool vector = v.type.has_rank() && v.type.rank() == 1;
    v.constant = vector ? true_scalar().reshaped({1}) : true_scalar();
  }

  void finish() {
    body_->inputs = joined(carried_in_, slices_in_);
    const Attributes attributes = {
        {"body", body_},
        {"num_scan_inputs", static_cast<std::int64_t>(slices_in_.size())},
        {"scan_input_axes", axes_},
        {"scan_input_directions", directions_},
        {"scan_output_axes", out_axes_},
        {"scan_output_directions", out_directions_},
        {kReversed, std::int64_t{1}}};
    inner_.reset();
    read_tapes();
    const auto results = n_.builder().add(get("Scan"), joined(carried_start_, scanned_),
                                          body_->outputs.size(), attributes);
    std::size_t next = 0;
    for (std::size_t i : state_numbers_) give(it_.first_input + i, results[next++]);
    for (const Value* v : captured_) n_.dx_of(*v, n_.builder().term(results[next++]));
    for (std::size_t k : scanned_inputs_) give(it_.first_input + it_.states + k, results[next++]);
  }

  // Before the nodes that read the state.
  void read_tapes() {
    if (on_tape_.empty()) return;
    GraphEditor editor(*body_);
    if (!body_->nodes.empty()) editor.before(*body_->nodes.front());
    for (const auto& [state, tape] : on_tape_) editor.emit_as(state, "SequenceAt", {tape, number_});
    editor.commit();
    // Extents that were the same throughout the loop have got other names.
    clear_inferred(*body_);
  }

  void give(std::size_t i, Value* gradient) {
    if (n_.wants(i)) n_.dx(i, n_.builder().term(gradient));
  }

  Gradient& n_;
  const Iteration& it_;
  Graph& forward_;
  std::shared_ptr<Graph> body_;  // of the backward loop: first a copy of the forward body
  const std::vector<Value*> inputs_, outputs_;  // of that copy
  std::unique_ptr<NodeBuilder> inner_;
  std::vector<Cotangent> cotangents_;
  std::vector<Value*> xs_, states_, captured_;
  std::vector<std::size_t> state_numbers_, scanned_inputs_;
  std::vector<Value*> carried_in_, carried_start_, carried_out_;
  std::vector<Value*> slices_in_, scanned_, slices_out_;
  std::vector<std::pair<Value*, Value*>> on_tape_;  // states of the body and their tapes
  Value* number_ = nullptr;
  std::vector<std::int64_t> axes_, directions_, out_axes_, out_directions_;
};

}  // namespace

void gradient_of_iteration(Gradient& n, const Iteration& iteration) {
  ReverseIteration(n, iteration).run();
}

}  // namespace onnxc::ops

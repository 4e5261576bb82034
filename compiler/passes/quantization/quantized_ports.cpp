// quantized_ports: notes the scale and zero point of inputs that are quantised at once, of outputs
// that are finally dequantised, and of integers at the interface with such a node next to them.
// With --io int8 those of floats become integers, and the nodes go away. Requires: types. Produces:
// PassContext::ports->scales. Leaves alone: ports that are also read or written as floats; scales
// or zero points that are not constant or differ along an axis.
#include <algorithm>
#include <optional>

#include "compiler/ir/editor.hpp"
#include "compiler/passes/pass.hpp"
#include "compiler/passes/quantization/quant_params.hpp"

namespace onnxc::passes {
namespace {

bool is_output(const Value& v) {
  return std::any_of(v.users().begin(), v.users().end(), [](const Use& use) { return !use.node; });
}

// How all readers of an input quantise it, or dequantise it.
std::optional<QuantizedValue> read_as(const Graph& graph, const Value& input, const char* op) {
  std::optional<QuantizedValue> found;
  for (const Use& use : input.users()) {
    if (!use.node || use.node->graph != &graph || !is_a(use.node, op) || use.index != 0)
      return std::nullopt;
    const auto q = quantized(use.node->outputs[0]);
    if (!q || (found && (!found->params.same_values(q->params) ||
                         found->integers->type.elem != q->integers->type.elem)))
      return std::nullopt;
    found = q;
  }
  return found;
}

class QuantizedPorts {
 public:
  QuantizedPorts(Graph& graph, PassContext& context)
      : editor_(graph), graph_(graph), context_(context) {}

  void run() {
    for (Value* input : graph_.inputs) note_input(*input);
    for (std::size_t i = 0; i < graph_.outputs.size(); ++i) note_output(graph_.outputs[i]);
    editor_.commit();
  }

 private:
  void note(const Value& port, bool input, const QuantizedValue& q) {
    context_.ports->scales.push_back(
        {port.name, input, q.params.scale, static_cast<std::int64_t>(q.params.zero)});
  }

  void note_input(Value& input) {
    const bool floats = input.type.elem == ElemType::float32;
    const auto q = read_as(graph_, input, floats ? "QuantizeLinear" : "DequantizeLinear");
    if (!q) return;
    note(input, true, *q);
    if (floats && context_.options.quantized_io) make_integers(input, q->integers->type.elem);
  }

  // The integers that the readers compute come from the caller.
  void make_integers(Value& input, ElemType elem) {
    std::vector<Node*> readers;
    for (const Use& use : input.users()) readers.push_back(use.node);
    input.type.elem = elem;
    for (Node* node : readers) {
      editor_.before(*node);
      Value* const integers = node->outputs[0];
      editor_.set_output(*node, 0, editor_.value(integers->type));
      if (is_output(*integers))
        editor_.emit_as(integers, "Identity", {&input});
      else
        editor_.replace(integers, &input);
      editor_.erase(*node);
    }
  }

  void note_output(Value* output) {
    if (!output || !output->producer) return;
    const auto q = quantized(output);
    if (!q || !q->integers) return;
    note(*output, false, *q);
    const bool only_output = std::all_of(output->users().begin(), output->users().end(),
                                         [](const Use& use) { return !use.node; });
    if (context_.options.quantized_io && q->integers != output && only_output)
      take_integers(*output, q->integers);
  }

  // The caller gets what the DequantizeLinear reads.
  void take_integers(Value& output, Value* integers) {
    Node& node = *output.producer;
    editor_.before(node);
    editor_.set_output(node, 0, editor_.value(output.type));
    output.type.elem = integers->type.elem;
    editor_.emit_as(&output, "Identity", {integers});
    editor_.erase(node);
  }

  GraphEditor editor_;
  Graph& graph_;
  PassContext& context_;
};

}  // namespace

void quantized_ports(Graph& graph, PassContext& context) {
  if (!graph.parent && context.ports) QuantizedPorts(graph, context).run();
}

}  // namespace onnxc::passes

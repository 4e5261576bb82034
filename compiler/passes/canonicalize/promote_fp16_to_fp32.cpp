// promote_fp16_to_fp32: operators on float16 and bfloat16 compute in float32, between a Cast of the
// model's inputs and a Cast of its outputs; weights are cast at compile time. Results in between
// are not rounded to 16 bits, so --fp strict turns the pass off; so does --optimize size, as
// weights would take twice the memory. Requires: types. Produces: float32 operators, which have the
// fast kernels, and Casts at the borders. Leaves alone: operators that return or change an element
// type, or hand a tensor out, operators with bodies, and data movement of values that are not
// float32 already.
#include <algorithm>
#include <map>
#include <vector>

#include "compiler/ir/editor.hpp"
#include "compiler/ir/op.hpp"
#include "compiler/passes/infer/infer.hpp"
#include "compiler/passes/pass.hpp"

namespace onnxc::passes {
namespace {

bool is_half(const Value* v) {
  return v && v->type.kind == Type::Kind::tensor &&
         (v->type.elem == ElemType::float16 || v->type.elem == ElemType::bfloat16);
}

class PromoteHalfFloats {
 public:
  explicit PromoteHalfFloats(Graph& graph) : editor_(graph) {}

  void run() {
    editor_.each([&](Node& node) {
      if (!widens(node)) return skip_rounding(node);
      for (std::size_t i = 0; i < node.inputs.size(); ++i)
        if (is_half(node.inputs[i])) node.inputs.set(i, wide(node.inputs[i]));
      narrow_results(node);
    });
    drop_unread();
  }

 private:
  bool widens(const Node& node) const {
    if (node.op == bit_cast_ || node.op == cast_ || hands_out(node)) return false;
    bool bodies = false;
    each_subgraph(node, [&](Graph&) { bodies = true; });
    return !bodies && formals_allow(node) && (computes(node) || reads_wide(node));
  }

  // To another device, or to the caller: who gets the tensor expects its type.
  static bool hands_out(const Node& node) { return node.op->effect && node.outputs.empty(); }

  // Whether some operands are float16 or bfloat16 and may all be float32 instead, and every 16-bit
  // result has a type that follows from theirs.
  static bool formals_allow(const Node& node) {
    const ops::Signature& signature = ops::signature(*node.op);
    std::vector<std::string_view> variables;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (!is_half(node.inputs[i])) continue;
      const ops::Formal* formal = signature.input(i);
      if (!is_plain(formal)) return false;
      variables.push_back(formal->var);
    }
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      if (!is_half(node.outputs[i])) continue;
      const ops::Formal* formal = signature.output(i);
      if (!is_plain(formal) || !contains_name(variables, formal->var)) return false;
    }
    return !variables.empty();
  }

  static bool is_plain(const ops::Formal* f) {
    return f && f->container == Type::Kind::tensor && !f->heterogeneous &&
           contains(f->mask, ElemType::float32);
  }

  static bool contains_name(const std::vector<std::string_view>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  // Not for operators that move elements of any type.
  static bool computes(const Node& node) {
    const ops::Signature& signature = ops::signature(*node.op);
    for (std::size_t i = 0; i < node.inputs.size(); ++i)
      if (is_half(node.inputs[i]) && contains(signature.input(i)->mask, ElemType::boolean))
        return false;
    return true;
  }

  bool reads_wide(const Node& node) const {
    for (const Value* v : node.inputs)
      if (v && wide_.count(v) && !v->constant) return true;
    return false;
  }

  // A Cast to float32 reads the value before it is rounded.
  void skip_rounding(Node& node) {
    if (node.op != cast_ || node.outputs[0]->type.elem != ElemType::float32) return;
    const auto it = wide_.find(node.inputs[0]);
    if (it != wide_.end()) node.inputs.set(0, it->second);
  }

  // The value in float32, for the visited node.
  Value* wide(Value* v) {
    if (const auto it = wide_.find(v); it != wide_.end()) return it->second;
    Value* w = like(*v);
    Node& cast = cast_to(w, v);
    if (v->constant && fold_node(cast))
      editor_.erase(cast);
    else
      casts_.push_back(&cast);
    if (v->quantized && w->constant) w->quantized = wide(*v->quantized);
    return wide_[v] = w;
  }

  std::shared_ptr<const QuantizedConstant> wide(QuantizedConstant q) {
    const Value* scale = wide(editor_.constant(q.scale));
    if (!scale->constant) return nullptr;
    q.scale = *scale->constant;
    return std::make_shared<const QuantizedConstant>(std::move(q));
  }

  // The results of the node become float32, and Casts make the 16-bit values from them.
  void narrow_results(Node& node) {
    editor_.after(node);
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      Value* half = node.outputs[i];
      if (!is_half(half)) continue;
      editor_.set_output(node, i, wide_[half] = like(*half));
      casts_.push_back(&cast_to(half, node.outputs[i]));
    }
  }

  void drop_unread() {
    for (Node* cast : casts_)
      if (cast->outputs[0]->users().empty()) editor_.erase(*cast);
  }

  Value* like(const Value& v) {
    Type type = v.type;
    type.elem = ElemType::float32;
    return editor_.graph().add_value(editor_.graph().fresh_name(v.name), type);
  }

  Node& cast_to(Value* y, Value* x) {
    return editor_.emit_as(y, *cast_, {x}, {{"to", static_cast<std::int64_t>(y->type.elem)}});
  }

  GraphEditor editor_;
  const ops::Op* const cast_ = &ops::get("Cast");
  const ops::Op* const bit_cast_ = &ops::get("BitCast");
  std::map<const Value*, Value*> wide_;  // 16-bit value -> the same in float32
  std::vector<Node*> casts_;
};

}  // namespace

void promote_fp16_to_fp32(Graph& graph, PassContext& context) {
  if (context.options.strict_fp || context.options.optimize_size) return;
  PromoteHalfFloats(graph).run();
}

}  // namespace onnxc::passes

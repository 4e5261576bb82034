// Inference, layout, lowering and old attributes of element-wise operators.
#include "compiler/ops/elementwise/elementwise.hpp"

#include <stdexcept>

#include "compiler/ir/layout.hpp"
#include "compiler/kernels/shape_struct.hpp"

namespace onnxc::ops {

void infer_unary(Infer& n) { n.output(0, n.input(0)); }

void gradient_of_selection(Gradient& n) {
  if (n.input_count() == 1) return n.dx(0, n.dy());
  if (n.node().find(kFirstWins)) {
    const Term first = n.x(0) == n.y();
    n.dx_summed(0, choose(first, n.dy(), 0.0));
    if (n.wants(1)) n.dx_summed(1, choose(first, 0.0, n.dy()));
    return;
  }
  Term count = convert(n.x(0) == n.y(), n.dy().type().elem);
  for (std::size_t i = 1; i < n.input_count(); ++i)
    count = count + convert(n.x(i) == n.y(), n.dy().type().elem);
  const Term share = n.dy() / count;
  for (std::size_t i = 0; i < n.input_count(); ++i)
    if (n.wants(i)) n.dx_summed(i, choose(n.x(i) == n.y(), share, 0.0));
}

LayoutRule layout_elementwise(const Node&) { return {.accepts = true, .all_inputs = true}; }

void upgrade_in_place(Upgrade& u) { u.remove("consumed_inputs"); }

void upgrade_broadcast(Upgrade& u) {
  const std::optional<std::int64_t> axis = u.find_int("axis");
  const bool broadcast = u.find_int("broadcast").value_or(0) != 0;
  if (broadcast && axis && u.has_input(0) && u.has_input(1)) {
    // Ranks are not known yet: onnxc::AlignAxis moves the axes once they are.
    Value* moved =
        u.emit("onnxc::AlignAxis", {u.node().inputs[1], u.node().inputs[0]}, {{"axis", *axis}});
    u.set_input(1, moved);
  }
  u.remove("axis");
  u.remove("broadcast");
  u.remove("consumed_inputs");
}

float float_of(const Node& node, const std::string& attribute) {
  return NodeView(node).attr_float(attribute);
}

namespace {

// Strides of an operand along the axes of the output, in its storage order; 0 where the operand
// broadcasts.
Shape strides_for(const Value& operand, const Shape& out_logical, Layout out_layout) {
  const View own = storage_view(operand);
  if (own.rank() > out_logical.size())
    throw std::logic_error("an operand has more axes than the result of its broadcast");
  Shape logical(out_logical.size(), Dim(0));
  const std::size_t added = out_logical.size() - own.rank();
  for (std::size_t axis = 0; axis < own.rank(); ++axis) {
    const bool same = own.dims[axis] == out_logical[added + axis];
    logical[added + axis] =
        same ? own.strides[axis] : Dim::broadcast_stride(own.dims[axis], own.strides[axis]);
  }
  return stored_shape(logical, out_layout);
}

Lambda map_lambda(const Lower& n) {
  Lambda f;
  f.parameters = static_cast<int>(n.input_count());
  if (n.node().op->scalar) {
    LambdaCall call;
    call.fn = n.node().op->scalar(n.node());
    for (int i = 0; i < f.parameters; ++i) call.operands.push_back(i);
    f.calls.push_back(std::move(call));
  }
  for (const ScalarStep& step : n.node().body) f.calls.push_back({scalar_of(step), step.operands});
  for (const LambdaCall& call : f.calls) f.vectorises = f.vectorises && call.fn.vectorises;
  return f;
}

// Whether a map computes in floats only: 8-bit types occur only as inputs or results of conversions
// from or to floats.
bool in_floats(const Lower& n, const Lambda& f) {
  const auto is_byte = [](ElemType e) { return e == ElemType::int8 || e == ElemType::uint8; };
  for (std::size_t i = 0; i < n.input_count(); ++i) {
    if (n.elem(i) == ElemType::float32) continue;
    if (!is_byte(n.elem(i))) return false;
    for (const LambdaCall& call : f.calls)
      for (int operand : call.operands)
        if (operand == static_cast<int>(i) && call.fn.name != "dequantize") return false;
  }
  if (n.out_elem(0) == ElemType::float32) return true;
  return is_byte(n.out_elem(0)) && !f.calls.empty() && f.calls.back().fn.name == "quantize";
}

}  // namespace

Shape BroadcastStrides::flat() const {
  Shape flat;
  for (const Shape& s : strides) flat.insert(flat.end(), s.begin(), s.end());
  return flat;
}

BroadcastStrides broadcast_strides(const Lower& n) {
  const Value& out = n.output_value(0);
  BroadcastStrides walk{n.out_stored(0), {}};
  for (std::size_t i = 0; i < n.input_count(); ++i)
    walk.strides.push_back(strides_for(n.input_value(i), *out.type.shape, out.layout));
  std::vector<Shape*> strides;
  for (Shape& s : walk.strides) strides.push_back(&s);
  collapse(walk.dims, strides);
  if (walk.dims.empty()) {
    walk.dims = {1};
    for (Shape& s : walk.strides) s = {0};
  }
  return walk;
}

void lower_map(Lower& n) {
  const Value& out = n.output_value(0);
  const BroadcastStrides walk = broadcast_strides(n);
  // Vectors need every operand to be dense or constant along the innermost axis.
  bool dense = true;
  for (const Shape& s : walk.strides) dense = dense && (s.back().is(1) || s.back().is(0));
  Lambda f = map_lambda(n);
  const bool vector = in_floats(n, f) && dense && f.vectorises && !n.options().optimize_size;
  Call call = n.call("map", BroadcastShape<Dim>{walk.dims, walk.flat()}).divisible();
  call.template_arg(std::to_string(walk.dims.size())).template_arg(vector ? "true" : "false");
  call.lambda(std::move(f)).out(0);
  for (std::size_t i = 0; i < n.input_count(); ++i) {
    call.in(i);
    const bool whole = product(n.shape(i)) == product(*out.type.shape);
    if (whole && elem_bytes(n.elem(i)) == elem_bytes(n.out_elem(0)) && n.layout(i) == out.layout &&
        !n.input_value(i).view_of)
      call.may_share(i);
  }
}

}  // namespace onnxc::ops

// Expressions of typed nodes.
#include "compiler/ops/node_builder.hpp"

#include <algorithm>

#include "compiler/ir/op.hpp"
#include "compiler/ops/fold.hpp"
#include "compiler/ops/sequence/members.hpp"

namespace onnxc::ops {
namespace {

Term binary_term(const char* op, Term a, Term b) { return a.builder->emit(op, {a, b}); }

// Whether `a * b` has the shape of b, as far as is known.
bool keeps_shape(const Type& a, const Type& b) {
  if (!a.has_rank() || !b.has_rank() || a.rank() > b.rank()) return false;
  for (std::size_t i = 0; i < a.rank(); ++i) {
    const Dim& d = (*a.shape)[a.rank() - 1 - i];
    if (!d.is(1) && !(d == (*b.shape)[b.rank() - 1 - i])) return false;
  }
  return true;
}

bool all_ones(const Tensor& t) {
  constexpr std::int64_t kFew = 4096;
  if (t.size() > kFew) return false;
  bool ones = false;
  with_real(t.elem(), [&](auto tag) {
    using T = decltype(tag);
    const auto is_one = [](T v) { return static_cast<compute_t<T>>(v) == 1; };
    const auto elements = t.as<T>();
    ones = std::all_of(elements.begin(), elements.end(), is_one);
  });
  return ones;
}

}  // namespace

bool is_differentiable(const Type& type) {
  if (type.element) return is_differentiable(*type.element);
  return type.elem == ElemType::float32 || type.elem == ElemType::float64 ||
         type.elem == ElemType::float16 || type.elem == ElemType::bfloat16 || is_complex(type.elem);
}

Term NodeBuilder::emit(const char* op, const std::vector<Value*>& inputs, Attributes attributes) {
  return term(add(get(op), inputs, 1, std::move(attributes)).front());
}

Tensor scalar_of(double v, ElemType elem) {
  TensorBuilder t(elem, {});
  const bool known = with_number(elem, [&](auto tag) {
    using T = decltype(tag);
    *t.data<T>() = static_cast<T>(static_cast<compute_t<T>>(v));
  });
  if (!known) throw std::logic_error("no number of this element type");
  return t.take();
}

Term NodeBuilder::scalar(double v, ElemType elem) { return term(constant(scalar_of(v, elem))); }

Term NodeBuilder::ints(std::vector<std::int64_t> v) { return term(constant(Tensor::ints(v))); }

Term NodeBuilder::integer(std::int64_t v) { return term(constant(Tensor::scalar(v))); }

Term NodeBuilder::shape_of(Value* v) { return emit("Shape", {v}); }

Term NodeBuilder::filled(double v, Value* like) {
  if (like->type.element) return filled_members(*this, v, like);
  Term out;
  if (like->type.has_rank() && like->type.rank() == 0) {
    out = scalar(v, like->type.elem);
  } else {
    const Tensor one = scalar(v, like->type.elem).value->constant->reshaped({1});
    out = emit("ConstantOfShape", {shape_of(like)}, {{"value", one}});
  }
  if (v == 1) ones_.push_back(out.value);
  return out;
}

Term NodeBuilder::reshape(Value* v, Value* like) {
  if (v->type.shape && v->type.shape == like->type.shape) return term(v);
  return emit("Reshape", {v, shape_of(like)}, {{"allowzero", std::int64_t{1}}});
}

bool NodeBuilder::is_one(const Value& v) const {
  return std::find(ones_.begin(), ones_.end(), &v) != ones_.end() ||
         (v.constant && all_ones(*v.constant));
}

// An extent may be 1 in one of the runs only.
Term NodeBuilder::sum_run_time_axes(Value* v, Value* like) {
  const Term repeated = emit("Equal", {shape_of(like), ints({1})});
  const Term axes = emit("Reshape", {emit("NonZero", {repeated}), ints({-1})});
  const Term sum = emit("ReduceSum", {v, axes}, {{"noop_with_empty_axes", std::int64_t{1}}});
  return emit("Reshape", {sum, shape_of(like)}, {{"allowzero", std::int64_t{1}}});
}

Term NodeBuilder::sum_to(Value* v, const Value& like) {
  const Type &from = v->type, &to = like.type;
  if (!from.has_rank() || !to.has_rank())
    throw OpError("dynamic-dim", quoted(like.name), "has no known rank, which its gradient needs");
  const std::size_t extra = from.rank() - to.rank();
  std::vector<std::int64_t> outer, repeated;
  bool at_run_time = false;
  for (std::size_t i = 0; i < extra; ++i) outer.push_back(static_cast<std::int64_t>(i));
  for (std::size_t i = 0; i < to.rank(); ++i) {
    const Dim &have = (*from.shape)[i + extra], &want = (*to.shape)[i];
    if (have == want) continue;
    if (want.is(1)) repeated.push_back(static_cast<std::int64_t>(i));
    if (!want.is_const() && !want.is_never_one()) at_run_time = true;
  }
  // Sums of one element each.
  const auto begin = from.shape->begin(), inner = begin + static_cast<std::ptrdiff_t>(extra);
  if (extra > 0 && std::all_of(begin, inner, [](const Dim& d) { return d.is(1); }) &&
      std::equal(inner, from.shape->end(), to.shape->begin()))
    return reshape(v, const_cast<Value*>(&like));
  Term sum = term(v);
  if (!outer.empty()) sum = sum_over(sum, outer, false);
  if (!repeated.empty()) sum = sum_over(sum, repeated, true);
  return at_run_time ? sum_run_time_axes(sum, const_cast<Value*>(&like)) : sum;
}

Term operator+(Term a, Term b) {
  return a.type().element ? sum_of_members(a, b) : binary_term("Add", a, b);
}
Term operator-(Term a, Term b) { return binary_term("Sub", a, b); }
Term operator*(Term a, Term b) {
  if (a.builder->is_one(*a) && keeps_shape(a.type(), b.type())) return b;
  if (a.builder->is_one(*b) && keeps_shape(b.type(), a.type())) return a;
  return binary_term("Mul", a, b);
}
Term operator/(Term a, Term b) {
  if (a.builder->is_one(*b) && keeps_shape(b.type(), a.type())) return a;
  return binary_term("Div", a, b);
}
Term operator<(Term a, Term b) { return binary_term("Less", a, b); }
Term operator<=(Term a, Term b) { return binary_term("LessOrEqual", a, b); }
Term operator>(Term a, Term b) { return binary_term("Greater", a, b); }
Term operator>=(Term a, Term b) { return binary_term("GreaterOrEqual", a, b); }
Term operator==(Term a, Term b) { return binary_term("Equal", a, b); }
Term operator&&(Term a, Term b) { return binary_term("And", a, b); }
Term operator||(Term a, Term b) { return binary_term("Or", a, b); }
Term operator-(Term a) { return apply("Neg", a); }
Term operator!(Term a) { return apply("Not", a); }

Term number_like(Term t, double v) { return t.builder->scalar(v, t.type().elem); }

Term apply(const char* op, Term x) { return x.builder->emit(op, {x}); }

Term choose(Term condition, Term a, Term b) {
  return condition.builder->emit("Where", {condition, a, b});
}
Term choose(Term condition, Term a, double b) { return choose(condition, a, number_like(a, b)); }
Term choose(Term condition, double a, Term b) { return choose(condition, number_like(b, a), b); }

Term choose_positive(Term x, Term a, Term b) {
  static const Op& op = get("WherePositive", "onnxc");
  return x.builder->term(x.builder->add(op, {x, a, b}, 1, {}).front());
}
Term choose_positive(Term x, Term a, double b) { return choose_positive(x, a, number_like(a, b)); }

Term matmul(Term a, Term b) { return binary_term("MatMul", a, b); }

Term permute(Term x, const std::vector<std::int64_t>& perm) {
  return x.builder->emit("Transpose", {x}, {{"perm", perm}});
}

Term convert(Term x, ElemType elem) {
  if (x.type().elem == elem) return x;
  return x.builder->emit("Cast", {x}, {{"to", static_cast<std::int64_t>(elem)}});
}

Term sum_over(Term x, const std::vector<std::int64_t>& axes, bool keepdims) {
  std::vector<Value*> inputs = {x};
  if (!axes.empty()) inputs.push_back(x.builder->ints(axes));
  return x.builder->emit("ReduceSum", inputs, {{"keepdims", std::int64_t{keepdims}}});
}

Term expand_like(Term x, Value* like) {
  if (x.type().shape && like->type.shape && *x.type().shape == *like->type.shape) return x;
  return x.builder->emit("Expand", {x, x.builder->shape_of(like)});
}

Term extent_of(Term x, std::int64_t axis) {
  return x.builder->emit("Gather", {x.builder->shape_of(x), x.builder->integer(axis)});
}

Term fit_extent(Term x, std::int64_t axis, Term extent) {
  NodeBuilder& b = *x.builder;
  const auto list = [&](Term scalar) { return b.emit("Reshape", {scalar, b.ints({1})}); };
  const Term cut = b.emit("Slice", {x, b.ints({0}), list(extent), b.ints({axis})});
  const Term more = list(extent - extent_of(cut, axis));
  const Term pads = b.emit("Concat", {b.ints({0}), more}, {{"axis", std::int64_t{0}}});
  return b.emit("Pad", {cut, pads, nullptr, b.ints({axis})});
}

}  // namespace onnxc::ops

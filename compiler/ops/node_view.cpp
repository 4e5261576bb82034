// Attributes, constants and checks of a node.
#include "compiler/ops/node_view.hpp"

#include <algorithm>

namespace onnxc::ops {

const Tensor* NodeView::constant(std::size_t i) const {
  if (!has_input(i)) return nullptr;
  const Value& v = input_value(i);
  if (v.constant) return &*v.constant;
  // Nodes are upgraded before Constant is folded.
  const Attribute* value = is_a(v.producer, "Constant") ? v.producer->find("value") : nullptr;
  return value ? std::get_if<Tensor>(value) : nullptr;
}

std::optional<std::vector<Dim>> NodeView::extents(std::size_t i) const {
  if (!has_input(i)) return std::nullopt;
  const Tensor* t = constant(i);
  if (t && is_integer(t->elem()) && t->dims().size() <= 1) {
    const auto ints = t->to_int64s();
    const auto negative = [](std::int64_t x) { return x < 0; };
    // Above the largest int64.
    if (t->elem() == ElemType::uint64 && std::any_of(ints.begin(), ints.end(), negative))
      return std::nullopt;
    return std::vector<Dim>(ints.begin(), ints.end());
  }
  return input_value(i).extent;
}

std::optional<std::vector<std::optional<Dim>>> NodeView::some_extents(std::size_t i) const {
  using Some = std::vector<std::optional<Dim>>;
  if (const auto all = extents(i)) return Some(all->begin(), all->end());
  if (!has_input(i) || input_value(i).partial_extent.empty()) return std::nullopt;
  return input_value(i).partial_extent;
}

std::optional<std::vector<std::int64_t>> NodeView::ints(std::size_t i) const {
  const auto dims = extents(i);
  if (!dims) return std::nullopt;
  std::vector<std::int64_t> out;
  for (const Dim& d : *dims) {
    if (!d.is_const()) return std::nullopt;
    out.push_back(d.value());
  }
  return out;
}

const Attribute* NodeView::attribute(const std::string& name) const {
  if (const Attribute* a = node_->find(name)) return a;
  const AttributeSpec* spec = signature(*node_->op).attribute(name);
  return spec && spec->fallback ? &*spec->fallback : nullptr;
}

const Attribute& NodeView::must_have(const std::string& name) const {
  const Attribute* a = attribute(name);
  if (!a) throw OpError("missing-attribute", "attribute " + quoted(name), "required");
  return *a;
}

namespace {

template <class T>
const T& as(const Attribute& a, const std::string& name) {
  if (const T* v = std::get_if<T>(&a)) return *v;
  throw OpError("bad-attribute", "attribute " + quoted(name), "has the wrong type");
}

}  // namespace

std::int64_t NodeView::attr_int(const std::string& name) const {
  return as<std::int64_t>(must_have(name), name);
}
float NodeView::attr_float(const std::string& name) const {
  return as<float>(must_have(name), name);
}
const std::string& NodeView::attr_string(const std::string& name) const {
  return as<std::string>(must_have(name), name);
}
const std::vector<std::int64_t>& NodeView::attr_ints(const std::string& name) const {
  return as<std::vector<std::int64_t>>(must_have(name), name);
}
const std::vector<float>& NodeView::attr_floats(const std::string& name) const {
  return as<std::vector<float>>(must_have(name), name);
}
const std::vector<std::string>& NodeView::attr_strings(const std::string& name) const {
  return as<std::vector<std::string>>(must_have(name), name);
}
const Tensor& NodeView::attr_tensor(const std::string& name) const {
  return as<Tensor>(must_have(name), name);
}
const View& NodeView::attr_view(const std::string& name) const {
  return as<View>(must_have(name), name);
}
Graph& NodeView::attr_graph(const std::string& name) const {
  return *as<std::shared_ptr<Graph>>(must_have(name), name);
}

ElemType NodeView::attr_elem_type(const std::string& name) const {
  const std::int64_t v = attr_int(name);
  require(v > 0 && v < kElemTypeCount, "attribute " + quoted(name), "{} is no element type", v);
  return static_cast<ElemType>(v);
}

std::optional<std::int64_t> NodeView::find_int(const std::string& name) const {
  const Attribute* a = attribute(name);
  return a ? std::optional(as<std::int64_t>(*a, name)) : std::nullopt;
}

const std::vector<std::int64_t>* NodeView::find_ints(const std::string& name) const {
  const Attribute* a = attribute(name);
  return a ? &as<std::vector<std::int64_t>>(*a, name) : nullptr;
}

std::size_t NodeView::axis(std::int64_t value, std::size_t rank, const std::string& field) const {
  const auto r = static_cast<std::int64_t>(rank);
  require(value >= -r && value < r, field, "{} is outside [-{}, {}) for rank {}", value, r, r, r);
  return static_cast<std::size_t>(value < 0 ? value + r : value);
}

namespace {

// The constant that an extent has to be by a relation.
std::optional<Dim> constant_of(const Dim& d, const std::vector<Relation>& relations) {
  for (const Relation& r : relations) {
    if (r.may_broadcast) continue;
    if (r.a == d && r.b.is_const()) return r.b;
    if (r.b == d && r.a.is_const()) return r.a;
  }
  return std::nullopt;
}

}  // namespace

Dim NodeView::same(const Dim& a, const Dim& b, const std::string& field) const {
  if (a == b) return a;
  const auto value = [&](const Dim& d, const Dim& other) {
    const bool may_be_known = relations_ && !d.is_const() && other.is_const();
    return may_be_known ? constant_of(d, *relations_).value_or(d) : d;
  };
  const Dim x = value(a, b), y = value(b, a);
  require(x == y || !x.is_const() || !y.is_const(), field, "extents {} and {} differ",
          x.to_string(), y.to_string());
  if (relations_) relations_->push_back({a, b, false});
  return b.is_const() ? b : a;
}

void NodeView::one_value(std::size_t i, const std::string& field) const {
  if (!has_input(i) || !input(i).has_rank()) return;
  const Dim count = product(*input(i).shape);
  require(!count.is_const() || count.is(1), field, "must hold one value, has {}",
          count.to_string());
  same(count, 1, field);
}

Dim NodeView::broadcast(const Dim& a, const Dim& b, const std::string& field) const {
  if (a == b || b.is(1)) return a;
  if (a.is(1)) return b;
  require(!a.is_const() || !b.is_const(), field, "extents {} and {} do not broadcast",
          a.to_string(), b.to_string());
  if (relations_) relations_->push_back({a, b, true});
  return Dim::broadcast(a, b);
}

void NodeView::at_least(const Dim& d, std::int64_t least, const std::string& field) const {
  require(!d.is_const() || d.value() >= least, field, "{} is below {}", d.to_string(), least);
  if (relations_ && !d.is_never_below(least)) relations_->push_back({d, Dim::max(d, least), false});
}

void NodeView::at_most(const Dim& d, const Dim& most, const std::string& field) const {
  const Dim rest = most - d;
  require(!rest.is_const() || rest.value() >= 0, field, "{} is above {}", d.to_string(),
          most.to_string());
  if (relations_ && !rest.is_const()) relations_->push_back({d, Dim::min(d, most), false});
}

void NodeView::fail(const std::string& field, const std::string& message) const {
  throw OpError("invalid-node", field, message);
}

void NodeView::require_known(bool known, const std::string& field,
                             const std::string& message) const {
  if (!known) throw OpError("dynamic-dim", field, message);
}

void NodeView::unsupported(const std::string& field, const std::string& message) const {
  throw OpError("unsupported", field, message);
}

}  // namespace onnxc::ops

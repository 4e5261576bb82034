// Parses the facts in the row of an operator.
#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "compiler/ir/op.hpp"
#include "compiler/support/words.hpp"

namespace onnxc::ops {
namespace {

struct Group {
  std::string_view name, members;
};

constexpr Group kGroups[] = {
    {"classic_floats", "float16 float double"},
    {"floats", "float16 float double bfloat16"},
    {"signed", "int8 int16 int32 int64"},
    {"unsigned", "uint8 uint16 uint32 uint64"},
    {"integers", "signed unsigned"},
    {"numeric", "floats integers"},
    {"complex", "complex64 complex128"},
    {"float8", "float8e4m3fn float8e4m3fnuz float8e5m2 float8e5m2fnuz"},
    {"small", "float8 float8e8m0 float4e2m1 int4 uint4 int2 uint2"},
    {"classic", "classic_floats integers bool string complex"},  // every type of opset 1 to 12
    {"all", "numeric complex bool string small"},
};

int to_int(std::string_view text) {
  int v = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), v);
  if (error != std::errc{} || end != text.data() + text.size())
    throw std::logic_error("operator row: bad number " + std::string(text));
  return v;
}

TypeMask parse_mask(std::string_view words) {
  TypeMask mask = 0;
  for (std::string_view word : words_of(words, ' ')) {
    const auto group = std::find_if(std::begin(kGroups), std::end(kGroups),
                                    [&](const Group& g) { return g.name == word; });
    const ElemType type = elem_type_from_name(word);
    if (group != std::end(kGroups))
      mask |= parse_mask(group->members);
    else if (type != ElemType::undefined)
      mask |= mask_of(type);
    else
      throw std::logic_error("operator row: unknown type " + std::string(word));
  }
  return mask;
}

TypeMask mask_of_var(std::string_view types, std::string_view var) {
  for (std::string_view clause : words_of(types, ';')) {
    const std::size_t colon = clause.find(':');
    std::string_view name = clause.substr(0, colon);
    while (!name.empty() && name.front() == ' ') name.remove_prefix(1);
    if (name == var) return parse_mask(clause.substr(colon + 1));
  }
  return var == "any" ? ~TypeMask{0} : parse_mask(var);
}

Formal parse_formal(std::string_view text, std::string_view types) {
  Formal f;
  for (; !text.empty(); text.remove_suffix(1)) {
    const char c = text.back();
    if (c == '?')
      f.optional = true;
    else if (c == '+')
      f.variadic = true;
    else if (c == '*')
      f.variadic = true, f.min_count = 0;
    else if (c == '~')
      f.variadic = f.heterogeneous = true;
    else
      break;
  }
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos)
    throw std::logic_error("operator row: no type for " + std::string(text));
  f.name = text.substr(0, colon);
  f.type = f.var = text.substr(colon + 1);
  const std::size_t open = f.type.find('(');
  if (open != std::string_view::npos) {
    const std::string_view outer = f.type.substr(0, open);
    f.container = outer == "seq"        ? Type::Kind::sequence
                  : outer == "optional" ? Type::Kind::optional
                                        : Type::Kind::map;
    f.var = f.type.substr(open + 1, f.type.size() - open - 2);
  }
  f.mask = mask_of_var(types, f.var);
  if (f.var == "any") f.var = "";
  return f;
}

constexpr std::pair<std::string_view, AttributeKind> kKinds[] = {
    {"int", AttributeKind::integer},     {"float", AttributeKind::real},
    {"string", AttributeKind::string},   {"tensor", AttributeKind::tensor},
    {"graph", AttributeKind::graph},     {"sparse_tensor", AttributeKind::sparse_tensor},
    {"type", AttributeKind::type},       {"ints", AttributeKind::integers},
    {"floats", AttributeKind::reals},    {"strings", AttributeKind::strings},
    {"tensors", AttributeKind::tensors}, {"graphs", AttributeKind::graphs},
    {"types", AttributeKind::types},     {"view", AttributeKind::view},
};

template <class T, class F>
std::vector<T> parse_list(std::string_view text, F one) {
  std::vector<T> out;
  for (std::string_view word : words_of(text, ',')) out.push_back(one(word));
  return out;
}

float to_float(std::string_view text) { return std::stof(std::string(text)); }

Attribute parse_default(AttributeKind kind, std::string_view text) {
  switch (kind) {
    case AttributeKind::integer:
      return std::int64_t{to_int(text)};
    case AttributeKind::real:
      return to_float(text);
    case AttributeKind::string:
      return std::string(text);
    case AttributeKind::integers:
      return parse_list<std::int64_t>(text, to_int);
    case AttributeKind::reals:
      return parse_list<float>(text, to_float);
    case AttributeKind::strings:
      return parse_list<std::string>(text, [](std::string_view w) { return std::string(w); });
    default:
      throw std::logic_error("operator row: this kind of attribute has no default");
  }
}

// name:kind[=default|!][@first-last]
AttributeSpec parse_attribute(std::string_view text) {
  AttributeSpec spec;
  const std::size_t at = text.rfind('@');
  if (at != std::string_view::npos) {
    const std::string_view range = text.substr(at + 1);
    const std::size_t dash = range.find('-');
    spec.first_version = to_int(range.substr(0, dash));
    if (dash == std::string_view::npos)
      spec.last_version = spec.first_version;
    else if (dash + 1 < range.size())
      spec.last_version = to_int(range.substr(dash + 1));
    text = text.substr(0, at);
  }
  const std::size_t colon = text.find(':');
  spec.name = text.substr(0, colon);
  std::string_view kind = text.substr(colon + 1);
  const std::size_t equals = kind.find('=');
  std::optional<std::string_view> fallback;
  if (equals != std::string_view::npos) {
    fallback = kind.substr(equals + 1);
    kind = kind.substr(0, equals);
  } else if (!kind.empty() && kind.back() == '!') {
    spec.required = true;
    kind.remove_suffix(1);
  }
  for (const auto& [name, value] : kKinds)
    if (name == kind) {
      spec.kind = value;
      if (fallback) spec.fallback = parse_default(value, *fallback);
      return spec;
    }
  throw std::logic_error("operator row: unknown attribute kind " + std::string(kind));
}

const Formal* formal_at(const std::vector<Formal>& list, std::size_t i) {
  if (i < list.size()) return &list[i];
  return !list.empty() && list.back().variadic ? &list.back() : nullptr;
}

std::size_t least(const std::vector<Formal>& list) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < list.size(); ++i)
    if (list[i].variadic && list[i].min_count > 0)
      n = std::max(n, i + list[i].min_count);
    else if (!list[i].variadic && !list[i].optional)
      n = i + 1;
  return n;
}

std::size_t most(const std::vector<Formal>& list) {
  return !list.empty() && list.back().variadic ? std::size_t{1} << 30 : list.size();
}

}  // namespace

const Formal* Signature::input(std::size_t i) const { return formal_at(inputs, i); }
const Formal* Signature::output(std::size_t i) const { return formal_at(outputs, i); }
std::size_t Signature::min_inputs() const { return least(inputs); }
std::size_t Signature::max_inputs() const { return most(inputs); }
std::size_t Signature::min_outputs() const { return least(outputs); }
std::size_t Signature::max_outputs() const { return most(outputs); }

const AttributeSpec* Signature::attribute(std::string_view name) const {
  for (const AttributeSpec& a : attributes)
    if (a.name == name) return &a;
  return nullptr;
}

Signature parse_signature(const Op& op) {
  Signature s;
  for (std::string_view v : words_of(op.versions, ' ')) s.versions.push_back(to_int(v));
  for (std::string_view f : words_of(op.inputs, ' ')) s.inputs.push_back(parse_formal(f, op.types));
  for (std::string_view f : words_of(op.outputs, ' '))
    s.outputs.push_back(parse_formal(f, op.types));
  for (std::string_view a : words_of(op.attributes, ' '))
    s.attributes.push_back(parse_attribute(a));
  return s;
}

std::string_view kind_name(AttributeKind kind) {
  for (const auto& [name, value] : kKinds)
    if (value == kind) return name;
  return "?";
}

AttributeKind kind_of(const Attribute& attribute) {
  // In the order of the alternatives of Attribute.
  static constexpr AttributeKind kOrder[] = {
      AttributeKind::integer, AttributeKind::real,          AttributeKind::string,
      AttributeKind::tensor,  AttributeKind::sparse_tensor, AttributeKind::graph,
      AttributeKind::type,    AttributeKind::integers,      AttributeKind::reals,
      AttributeKind::strings, AttributeKind::tensors,       AttributeKind::graphs,
      AttributeKind::types,   AttributeKind::view};
  return kOrder[attribute.index()];
}

std::string describe_mask(TypeMask mask) {
  std::string s;
  for (int i = 1; i < kElemTypeCount; ++i)
    if (contains(mask, static_cast<ElemType>(i)))
      s += (s.empty() ? "" : ", ") + std::string(info(static_cast<ElemType>(i)).onnx_name);
  return s;
}

}  // namespace onnxc::ops

#include "compiler/import/signature_check.hpp"

#include <fmt/format.h>

#include <map>

#include "compiler/ir/op.hpp"

namespace onnxc {
namespace {

bool in_force(const ops::AttributeSpec& spec, int version) {
  return spec.first_version <= version && version <= spec.last_version;
}

std::string attribute_field(std::string_view name) {
  return "attribute " + quoted(std::string(name));
}

bool check_given_attribute(const ops::Signature& signature, const Node& node,
                           const std::string& name, const Attribute& value,
                           const ReportProblem& report) {
  const ops::AttributeSpec* wrong_kind = nullptr;
  bool known = false;
  for (const auto& spec : signature.attributes) {
    if (spec.name != name) continue;
    known = true;
    if (!in_force(spec, node.version)) continue;
    if (ops::kind_of(value) == spec.kind) return true;
    wrong_kind = &spec;
  }
  if (wrong_kind)
    report("bad-attribute", attribute_field(name),
           fmt::format("must be {}, is {}", ops::kind_name(wrong_kind->kind),
                       ops::kind_name(ops::kind_of(value))));
  else
    report("unknown-attribute", attribute_field(name),
           fmt::format("{}-{} has no such attribute{}", node.op->name, node.version,
                       known ? "; another version has" : ""));
  return false;
}

// "1", "1 to 3", "at least 1"
std::string range(std::size_t least, std::size_t most) {
  if (least == most) return std::to_string(least);
  if (most >= (std::size_t{1} << 30)) return fmt::format("at least {}", least);
  return fmt::format("{} to {}", least, most);
}

bool check_count(const Node& node, const char* what, std::size_t count, std::size_t least,
                 std::size_t most, const ReportProblem& report) {
  if (count >= least && count <= most) return true;
  report("bad-arity", "",
         fmt::format("{} {}{}, {} takes {}", count, what, count == 1 ? "" : "s", node.op->name,
                     range(least, most)));
  return false;
}

std::string input_field(const Node& node, std::size_t i) {
  return fmt::format("input {} {}", i, quoted(node.inputs[i]->name));
}

// The element type that a formal's type variable constrains, looking through containers.
const Type* constrained_part(const ops::Formal& formal, const Type& type) {
  if (formal.container == Type::Kind::tensor || type.kind != formal.container) return &type;
  return type.element.get();
}

bool is_tensor_like(const Type& type) {
  return type.kind == Type::Kind::tensor || type.kind == Type::Kind::sparse_tensor;
}

// Remembers what each type variable stands for.
class Bindings {
 public:
  explicit Bindings(const Node& node) : node_(node) {}

  std::string conflict(const ops::Formal& formal, std::size_t i, ElemType elem) {
    const auto [it, fresh] = first_.try_emplace(std::string(formal.var), i, elem);
    if (fresh || it->second.second == elem) return "";
    const auto& [at, other] = it->second;
    return fmt::format("{}, but input {} {} is {}", info(elem).onnx_name, at,
                       quoted(node_.inputs[at]->name), info(other).onnx_name);
  }

 private:
  const Node& node_;
  std::map<std::string, std::pair<std::size_t, ElemType>> first_;
};

}  // namespace

bool check_attributes(const Node& node, const ReportProblem& report) {
  const ops::Signature& signature = ops::signature(*node.op);
  bool good = true;
  for (const auto& [name, value] : node.attributes)
    good = check_given_attribute(signature, node, name, value, report) && good;
  for (const auto& spec : signature.attributes) {
    if (!spec.required || !in_force(spec, node.version)) continue;
    if (node.find(std::string(spec.name))) continue;
    report("missing-attribute", attribute_field(spec.name), "is required");
    good = false;
  }
  return good;
}

bool check_arity(const Node& node, const ReportProblem& report) {
  const ops::Signature& s = ops::signature(*node.op);
  bool good =
      check_count(node, "input", node.inputs.size(), s.min_inputs(), s.max_inputs(), report);
  good =
      check_count(node, "output", node.outputs.size(), s.min_outputs(), s.max_outputs(), report) &&
      good;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const ops::Formal* formal = s.input(i);
    if (node.inputs[i] || !formal || formal->optional) continue;
    if (formal->variadic && i >= formal->min_count) continue;
    report("missing-input", fmt::format("input {} ({})", i, formal->name), "is required");
    good = false;
  }
  return good;
}

bool check_input_types(const Node& node, const ReportProblem& report) {
  const ops::Signature& signature = ops::signature(*node.op);
  Bindings bindings(node);
  bool good = true;
  const auto problem = [&](std::size_t i, const std::string& message) {
    report("unsupported-type", input_field(node, i), message);
    good = false;
  };
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const ops::Formal* formal = signature.input(i);
    if (!formal || !node.inputs[i] || formal->var.empty()) continue;
    const Type& type = node.inputs[i]->type;
    if (type.kind == Type::Kind::unknown) continue;
    const Type* part = constrained_part(*formal, type);
    if (!part || part->kind == Type::Kind::unknown) continue;
    if (!is_tensor_like(*part) || (part == &type && formal->container != Type::Kind::tensor)) {
      problem(i, fmt::format("{}; must be {}", type.to_string(), formal->type));
    } else if (part->elem != ElemType::undefined && !contains(formal->mask, part->elem)) {
      problem(i, fmt::format("{}; allowed: {}", info(part->elem).onnx_name,
                             ops::describe_mask(formal->mask)));
    } else if (part->elem != ElemType::undefined && !formal->heterogeneous) {
      const std::string conflict = bindings.conflict(*formal, i, part->elem);
      if (!conflict.empty()) problem(i, conflict);
    }
  }
  return good;
}

}  // namespace onnxc

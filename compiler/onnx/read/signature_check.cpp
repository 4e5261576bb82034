// Attributes and counts of inputs and outputs against the facts of an operator.
#include "compiler/onnx/read/upgrade.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/ir/older_signatures.hpp"
#include "compiler/support/words.hpp"

namespace onnxc::reader {
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
  bool in_other_version = false;
  std::vector<std::string> names;
  for (const auto& spec : signature.attributes) {
    if (in_force(spec, node.version)) names.emplace_back(spec.name);
    if (spec.name != name) continue;
    in_other_version = true;
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
                       in_other_version ? "; another version has" : did_you_mean(name, names)));
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

// In an older version an attribute may have stood for an input other than the first: one that it
// required, or of the same name.
bool was_attribute(const ops::Signature& signature, const ops::Formal& formal, int version) {
  return std::any_of(signature.attributes.begin(), signature.attributes.end(),
                     [&](const ops::AttributeSpec& spec) {
                       return in_force(spec, version) &&
                              !in_force(spec, signature.versions.back()) &&
                              (spec.required || spec.name == formal.name);
                     });
}

bool check_given_input(const Node& node, std::size_t i, const ops::Formal& formal,
                       const ReportProblem& report) {
  if ((i < node.inputs.size() && node.inputs[i]) || formal.optional) return true;
  report("missing-input", fmt::format("input {} ({})", i, formal.name), "is required");
  return false;
}

bool check_outputs(const Node& node, const ReportProblem& report) {
  const ops::Signature& s = ops::signature(*node.op);
  return check_count(node, "output", node.outputs.size(), s.min_outputs(), s.max_outputs(), report);
}

}  // namespace

bool check_ports_of_older(const Node& node, const ReportProblem& report) {
  const ops::Signature& s = ops::signature(*node.op);
  bool good = s.min_outputs() == 0 || !node.outputs.empty() || check_outputs(node, report);
  const ops::Signature* const older = ops::older_signature(*node.op, node.version);
  if (older && node.inputs.size() > older->max_inputs()) {
    report("bad-arity", "",
           fmt::format("{} inputs, {}-{} takes {}; a later version takes more", node.inputs.size(),
                       node.op->name, node.version, older->max_inputs()));
    good = false;
  }
  for (std::size_t i = 0; i < s.min_inputs(); ++i) {
    const ops::Formal* formal = s.input(i);
    if (formal->variadic || (i > 0 && was_attribute(s, *formal, node.version))) continue;
    good = check_given_input(node, i, *formal, report) && good;
  }
  return good;
}

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
  good = check_outputs(node, report) && good;
  for (std::size_t i = 0; i < node.inputs.size(); ++i)
    if (const ops::Formal* formal = s.input(i))
      good = check_given_input(node, i, *formal, report) && good;
  return good;
}

}  // namespace onnxc::reader

// Prints the supported operators as text or Markdown.
#include "compiler/cli/commands.hpp"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/ir/op.hpp"
#include "compiler/support/diagnostics.hpp"
#include "compiler/support/json.hpp"
#include "compiler/support/terminal.hpp"
#include "compiler/support/words.hpp"

namespace onnxc {
namespace {

using ops::Op;

std::string domain_of(const Op& op) {
  return op.domain.empty() ? "ai.onnx" : std::string(op.domain);
}

std::string in_lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// The operators that a model can use, without the compiler's own ones.
std::vector<const Op*> public_operators(const std::string& filter) {
  std::vector<const Op*> list;
  std::vector<std::string> names;
  for (const Op* op : ops::all()) {
    if (op->domain == "onnxc") continue;
    names.emplace_back(op->name);
    const std::string name = in_lower_case(domain_of(*op) + "::" + std::string(op->name));
    if (name.find(in_lower_case(filter)) != std::string::npos) list.push_back(op);
  }
  if (list.empty())
    throw FatalError(exit_code::usage, fmt::format("no operator has '{}' in its name{}", filter,
                                                   did_you_mean(filter, names)));
  return list;
}

TypeMask all_element_types() {
  TypeMask mask = 0;
  for (int i = 1; i < kElemTypeCount; ++i) mask |= mask_of(static_cast<ElemType>(i));
  return mask;
}

std::string element_types(const ops::Formal& formal) {
  const TypeMask any = all_element_types();
  return (formal.mask & any) == any ? "any" : ops::describe_mask(formal.mask);
}

std::string versions_of(const Op& op) {
  return fmt::format("{}", fmt::join(ops::signature(op).versions, ", "));
}

std::string note_on(const Op& op) {
  std::string note = op.deprecated > 0 ? fmt::format("removed in {}", op.deprecated) : "";
  if (!op.limits.empty()) note += (note.empty() ? "" : "; ") + std::string(op.limits);
  return note;
}

void write_formals(JsonWriter& json, const char* key, const std::vector<ops::Formal>& formals) {
  json.key(key).begin_array();
  for (const ops::Formal& formal : formals) {
    json.begin_object().field("name", formal.name).field("types", element_types(formal));
    json.field("optional", formal.optional).field("variadic", formal.variadic).end_object();
  }
  json.end_array();
}

// The default of an attribute, if it is a number or a text.
void write_default(JsonWriter& json, const Attribute& fallback) {
  if (const auto* integer = std::get_if<std::int64_t>(&fallback)) json.field("default", *integer);
  if (const auto* real = std::get_if<float>(&fallback))
    json.field("default", static_cast<double>(*real));
  if (const auto* text = std::get_if<std::string>(&fallback))
    json.field("default", std::string_view(*text));
}

void write_attribute(JsonWriter& json, const ops::AttributeSpec& attribute) {
  json.begin_object().field("name", attribute.name).field("type", ops::kind_name(attribute.kind));
  json.field("required", attribute.required).field("first_version", attribute.first_version);
  if (attribute.last_version != ops::AttributeSpec{}.last_version)
    json.field("last_version", attribute.last_version);
  if (attribute.fallback) write_default(json, *attribute.fallback);
  json.end_object();
}

void write_operator(JsonWriter& json, const Op& op) {
  const ops::Signature& signature = ops::signature(op);
  json.begin_object().field("domain", domain_of(op)).field("name", op.name);
  json.key("versions").begin_array();
  for (int version : signature.versions) json.value(version);
  json.end_array();
  write_formals(json, "inputs", signature.inputs);
  write_formals(json, "outputs", signature.outputs);
  json.key("attributes").begin_array();
  for (const ops::AttributeSpec& attribute : signature.attributes) write_attribute(json, attribute);
  json.end_array();
  json.field("min_inputs", signature.min_inputs()).field("min_outputs", signature.min_outputs());
  json.field("removed_in", op.deprecated).field("limits", op.limits).end_object();
}

void print_json(const std::vector<const Op*>& list) {
  JsonWriter json;
  json.begin_object().field("version", ONNXC_VERSION).key("operators").begin_array();
  for (const Op* op : list) write_operator(json, *op);
  json.end_array().end_object();
  terminal::print_document(stdout, json.take());
}

void print_markdown(const std::vector<const Op*>& list) {
  terminal::print(stdout, "# Supported operators\n\nMade by `onnxc ops --markdown`.\n");
  std::string domain;
  for (const Op* op : list) {
    if (domain != domain_of(*op)) {
      domain = domain_of(*op);
      terminal::print(stdout, "\n## {}\n\n| operator | since versions | first input | remarks |\n",
                      domain);
      terminal::print(stdout, "|---|---|---|---|\n");
    }
    const auto& inputs = ops::signature(*op).inputs;
    terminal::print(stdout, "| {} | {} | {} | {} |\n", op->name, versions_of(*op),
                    inputs.empty() ? "-" : element_types(inputs[0]), note_on(*op));
  }
}

void print_text(const std::vector<const Op*>& list) {
  std::size_t pairs = 0;
  terminal::print(stdout, "{:<28} {:<32} {}\n", "domain", "operator", "since_versions");
  for (const Op* op : list) {
    const std::string note = note_on(*op);
    terminal::print(stdout, "{:<28} {:<32} {}{}\n", domain_of(*op), op->name, versions_of(*op),
                    note.empty() ? "" : "  (" + note + ")");
    pairs += ops::signature(*op).versions.size();
  }
  terminal::print(stdout, "{} operators, {} (operator, since_version) pairs\n", list.size(), pairs);
}

}  // namespace

int run_ops(OpsFormat format, const std::string& filter) {
  const std::vector<const Op*> list = public_operators(filter);
  switch (format) {
    case OpsFormat::json:
      print_json(list);
      break;
    case OpsFormat::markdown:
      print_markdown(list);
      break;
    case OpsFormat::text:
      print_text(list);
      break;
  }
  return 0;
}

}  // namespace onnxc

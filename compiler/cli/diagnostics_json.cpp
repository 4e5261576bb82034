// Writes diagnostics as JSON and SARIF, and their rules as Markdown.
#include "compiler/cli/diagnostics_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "compiler/support/diagnostics.hpp"
#include "compiler/support/json.hpp"

namespace onnxc {
namespace {

constexpr const char* kSarifSchema = "https://json.schemastore.org/sarif-2.1.0.json";

void write_rules(JsonWriter& json, const Diagnostics& diagnostics) {
  std::set<std::string_view> ids;
  for (const Diagnostic& d : diagnostics.all()) ids.insert(d.id);
  json.key("rules").begin_array();
  for (std::string_view id : ids) {
    const DiagnosticRule& rule = diagnostic_rule(id);
    json.begin_object().field("id", rule.id);
    json.key("shortDescription").begin_object().field("text", rule.meaning).end_object();
    if (!rule.clause.empty())
      json.key("help").begin_object().field("text", rule.clause).end_object();
    json.end_object();
  }
  json.end_array();
}

void write_result(JsonWriter& json, const Diagnostic& d, const std::string& model) {
  json.begin_object().field("ruleId", std::string_view(d.id));
  json.field("level", severity_name(d.severity));
  const std::string text = d.where.empty() ? d.message : d.where.text() + ": " + d.message;
  json.key("message").begin_object().field("text", std::string_view(text)).end_object();
  json.key("locations").begin_array().begin_object();
  json.key("physicalLocation").begin_object().key("artifactLocation").begin_object();
  json.field("uri", std::string_view(model)).end_object().end_object();
  if (!d.where.empty()) {
    json.key("logicalLocations").begin_array().begin_object();
    json.field("fullyQualifiedName", std::string_view(d.where.text())).end_object().end_array();
  }
  json.end_object().end_array().end_object();
}

}  // namespace

namespace {

void write_node(JsonWriter& json, const NodeName& node) {
  json.key("node").begin_object().field("index", node.index);
  json.field("name", std::string_view(node.name)).field("domain", std::string_view(node.domain));
  json.field("op_type", std::string_view(node.op_type)).field("version", node.version).end_object();
}

}  // namespace

std::string diagnostics_as_json(const Diagnostics& diagnostics, const std::string& model) {
  const auto& all = diagnostics.all();
  const auto warnings = std::count_if(
      all.begin(), all.end(), [](const Diagnostic& d) { return d.severity == Severity::warning; });
  JsonWriter json;
  json.begin_object().field("model", std::string_view(model));
  json.field("ok", !diagnostics.has_errors()).field("errors", diagnostics.error_count());
  json.field("warnings", static_cast<std::int64_t>(warnings)).key("diagnostics").begin_array();
  for (const Diagnostic& d : all) {
    json.begin_object().field("level", severity_name(d.severity));
    json.field("id", std::string_view(d.id)).field("where", std::string_view(d.where.text()));
    if (d.where.node()) write_node(json, *d.where.node());
    json.field("message", std::string_view(d.message)).end_object();
  }
  json.end_array().end_object();
  return json.take();
}

std::string diagnostics_as_sarif(const Diagnostics& diagnostics, const std::string& model) {
  JsonWriter json;
  json.begin_object().field("$schema", kSarifSchema).field("version", "2.1.0");
  json.key("runs").begin_array().begin_object();
  json.key("tool").begin_object().key("driver").begin_object();
  json.field("name", "onnxc").field("version", ONNXC_VERSION);
  write_rules(json, diagnostics);
  json.end_object().end_object().key("results").begin_array();
  for (const Diagnostic& d : diagnostics.all()) write_result(json, d, model);
  json.end_array().end_object().end_array().end_object();
  return json.take();
}

std::string rules_as_markdown() {
  std::string text =
      "# Diagnostics\n\n"
      "Made by `onnxc check --rules`. A message reads `MODEL: LEVEL[ID]: PLACE: TEXT`; ids are "
      "stable.\nErrors refuse the model. Warnings name what the standard forbids and onnxc "
      "tolerates, or what is\nalmost certainly a mistake. The last column is the part of the ONNX "
      "documents that a rule rests on.\n\n"
      "| id | level | meaning | document |\n|---|---|---|---|\n";
  for (const DiagnosticRule& rule : diagnostic_rules())
    text += fmt::format("| `{}` | {} | {} | {} |\n", rule.id, rule.level, rule.meaning,
                        rule.clause.empty() ? "-" : rule.clause);
  return text;
}

}  // namespace onnxc

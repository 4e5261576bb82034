// Every kind of diagnostic: its stable name and what it means. docs/diagnostics.md prints the
// table.
#pragma once

#include <span>
#include <string_view>

namespace onnxc {

struct DiagnosticRule {
  std::string_view id;       // stable, kebab-case
  std::string_view level;    // of its diagnostics: "error", "warning"
  std::string_view meaning;  // one sentence
  std::string_view clause;   // the part of the ONNX documents that it rests on; may be empty
};

std::span<const DiagnosticRule> diagnostic_rules();  // sorted by id
// Throws std::logic_error for an id that is not in the table.
const DiagnosticRule& diagnostic_rule(std::string_view id);

}  // namespace onnxc

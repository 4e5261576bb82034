// Diagnostics for programs: JSON of our own, and SARIF, the format of code review tools.
#pragma once

#include <string>

#include "compiler/support/diagnostics.hpp"

namespace onnxc {

// {"model", "ok", "errors", "warnings", "diagnostics": [{"level", "id", "where", "message"}]}
std::string diagnostics_as_json(const Diagnostics& diagnostics, const std::string& model);

// One run of a SARIF 2.1.0 log, with the rules that its results name.
std::string diagnostics_as_sarif(const Diagnostics& diagnostics, const std::string& model);

// The table of docs/diagnostics.md.
std::string rules_as_markdown();

}  // namespace onnxc

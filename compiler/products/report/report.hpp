// Reports of a compiled model.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "compiler/emit/emit.hpp"

namespace onnxc {

// schema 2: model, target, ports, costs; memory, tensors with their places and lifetimes, and steps
// with what they read and write, of each function. docs/report.md describes the keys.
std::string json_report(const EmitContext& context);
// One self-contained page that shows the JSON report: the memory plan, and tables of the steps.
std::string html_report(const EmitContext& context);

// A measurement, and what repeats it. The compiler itself does not know it, so that what it writes
// depends on its input alone.
struct MeasuredRun {
  std::string date;             // in UTC
  std::string machine, system;  // "Intel(R) Xeon(R) ...", "Linux 6.1 x86_64"
  std::string compiler, flags;  // of the generated code
  std::string options;          // of bench
  std::string inputs;           // "random values"
  int threads = 1;
  std::int64_t runs = 0, peak_rss_bytes = 0;
  double min_ms = 0, median_ms = 0, p90_ms = 0, p99_ms = 0;
  std::map<std::string, std::int64_t> sizes;  // by name
};

// The report with one more key. `report`: JSON or a page; `json`: the value.
std::string with_field(std::string report, const std::string& key, const std::string& json);
// With a key `run`.
std::string with_run(std::string report, const MeasuredRun& run);

}  // namespace onnxc

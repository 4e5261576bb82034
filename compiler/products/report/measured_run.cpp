// Adds to a report what the compiler itself does not know.
#include <utility>

#include "compiler/interface/sanitized_text.hpp"
#include "compiler/products/report/report.hpp"
#include "compiler/products/report/sections.hpp"
#include "compiler/support/json.hpp"

namespace onnxc {
namespace {

std::string as_json(const MeasuredRun& r) {
  JsonWriter j;
  j.begin_object().field("date", std::string_view(r.date));
  for (const auto& [key, text] : {std::pair("machine", &r.machine),
                                  {"system", &r.system},
                                  {"compiler", &r.compiler},
                                  {"flags", &r.flags},
                                  {"options", &r.options},
                                  {"inputs", &r.inputs}})
    if (!text->empty()) j.field(key, std::string_view(*text));
  j.field("threads", r.threads).field("runs", r.runs);
  j.field("min_ms", r.min_ms).field("median_ms", r.median_ms);
  j.field("p90_ms", r.p90_ms).field("p99_ms", r.p99_ms);
  j.field("peak_rss_bytes", r.peak_rss_bytes);
  j.key("sizes").begin_object();
  for (const auto& [name, value] : r.sizes) j.field(name, value);
  j.end_object().end_object();
  return j.take();
}

// One level deeper, without the line feed at the end.
std::string indented(const std::string& json) {
  std::string out;
  for (const char c : json.substr(0, json.find_last_not_of('\n') + 1)) {
    out += c;
    if (c == '\n') out += "  ";
  }
  return out;
}

}  // namespace

std::string with_field(std::string report, const std::string& key, const std::string& json) {
  if (const std::size_t data = report.find(kReportData); data != std::string::npos) {
    const std::size_t brace = report.rfind('}', report.find("</script>", data));
    return report.insert(brace, ",\"" + key + "\":" + script_data(json).text());
  }
  const std::size_t brace = report.rfind('}');
  const std::size_t end = report.find_last_not_of("\n ", brace - 1) + 1;
  return report.insert(end, ",\n  \"" + key + "\": " + indented(json));
}

std::string with_run(std::string report, const MeasuredRun& run) {
  return with_field(std::move(report), "run", as_json(run));
}

}  // namespace onnxc

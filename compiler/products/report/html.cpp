// The report as an HTML page: the JSON report, and a script that draws it.
#include "compiler/interface/sanitized_text.hpp"
#include "compiler/products/report/graph_picture.hpp"
#include "compiler/products/report/report.hpp"
#include "compiler/products/report/sections.hpp"
#include "compiler/support/embedded_files.hpp"

namespace onnxc {
namespace {

// A page stays below half a megabyte.
constexpr std::size_t kMaxNodes = 400;

// The graph that the steps were made of.
std::string graph_section(const Graph& graph) {
  if (graph.nodes.empty() || graph.nodes.size() > kMaxNodes) return "";
  return fmt::format(
      "<details><summary>Graph, as the passes left it</summary><div class=\"scroll tall\">{}</div>"
      "</details>\n",
      graph_as_svg(graph));
}

// In this order: each may use what those before it define.
std::string scripts() {
  std::string text;
  for (const char* name : {"numbers", "elements", "summary", "flash", "memory", "steps", "roofline",
                           "tradeoff", "report"})
    text += embedded_text(fmt::format("compiler/products/report/{}.js", name));
  return text;
}

}  // namespace

std::string html_report(const EmitContext& c) {
  const HtmlText name = html_text(title_of(c));
  return fmt::format(
      "<!doctype html>\n"
      "<html lang=\"en\">\n"
      "<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n"
      "<style>\n{}</style>\n"
      "<h1>{}</h1>\n"
      "<main><noscript>This page is drawn by a script.</noscript></main>\n"
      "{}"
      "{}{}</script>\n"
      "<script>\n\"use strict\";\n(() => {{\n{}}})();\n</script>\n"
      "</html>\n",
      name, embedded_text("compiler/products/report/report.css"), name,
      graph_section(c.model.graph), kReportData, script_data(packed(json_report(c))), scripts());
}

}  // namespace onnxc
